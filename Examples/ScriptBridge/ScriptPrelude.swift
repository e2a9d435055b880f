/// The part of the bridge that scripts see: an object `bridge` with `call`, `handle`, `remove` and `object`.
enum ScriptPrelude {
  /// A function of `send`, which defines `bridge` and returns `receive`.
  ///
  /// `send(kind, id, payload)` returns a call's id; Swift gets the message when the script has
  /// returned, or answers a question with JSON: an array of the result, or of a code and a message.
  /// `receive(kind, id, payload)` takes a message of Swift's.
  static let source = #"""
    (function (send) {
      // Scripts may put other things in place of these.
      var stringify = JSON.stringify, parse = JSON.parse, text = String, isNumber = isFinite;
      var isArray = Array.isArray, AnyError = Error, WrongType = TypeError;
      function method(f) { return Function.prototype.call.bind(f); }
      var replace = method("".replace), slice = method("".slice);
      var unitAt = method("".charCodeAt), digits = method((0).toString);
      var apply = method(Function.prototype.apply);
      var create = Object.create, define = Object.defineProperty;
      var handlers = create(null), callbacks = create(null), parts = create(null);
      var functions = create(null);

      // Strict where JSON.stringify would drop or change a value; undefined is null.
      function check(key, value) {
        if (value === undefined) return null;
        if (typeof value === "function" || typeof value === "symbol" ||
            typeof value === "number" && !isNumber(value)) {
          throw new WrongType("a " + typeof value + " (" + text(value) + ") is no JSON");
        }
        return value;
      }

      // ASCII only: the engine's encoding of texts is its own affair.
      function write(value) {
        return replace(stringify(value, check), /[\u007f-\uffff]/g, escape);
      }

      function escape(unit) { return "\\u" + slice("000" + digits(unitAt(unit, 0), 16), -4); }

      // Half a character is escaped, as Swift's texts have none.
      function describe(error) {
        try {
          return replace(
            text(error), /[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g,
            function (units) { return units.length === 2 ? units : escape(units); });
        } catch (_) { return "an error without a text"; }
      }

      function answerer(id) {
        var answered = false;
        return function (kind, value) {
          if (answered) throw new AnyError("alreadyAnswered: call " + id + " has its answer");
          // Already while the value is written, which may run more of the script.
          answered = true;
          var payload;
          try { payload = write(value); } catch (error) {
            kind = "failure";
            payload = write(["invalidValue", describe(error)]);
          }
          answered = kind !== "part";
          send(kind, id, payload);
        };
      }

      function run(id, name, values) {
        var finish = answerer(id), handler = handlers[name];
        function fail(error) { finish("failure", ["handlerFailed", describe(error)]); }
        if (!handler) {
          return finish("failure", ["unknownHandler", "the script handles no " + name]);
        }
        function answer(error, result) {
          if (error === null || error === undefined) finish("answer", result); else fail(error);
        }
        answer.part = function (value) { finish("part", value); };
        try { handler(values, answer); } catch (error) {
          // One that has answered already fails in the script's own name.
          try { fail(error); } catch (_) { throw error; }
        }
      }

      function failure(value) {
        var error = new AnyError(value[1]);
        error.code = value[0];
        return error;
      }

      // Asks Swift, which answers at once.
      function ask(question, of, name, value) {
        var reply = parse(send("ask", 0, write([question, of, name, value])));
        if (reply.length < 2) return reply[0];
        throw failure(reply);
      }

      function list(values) {
        var array = [];
        for (var index = 0; index < values.length; index++) array[index] = values[index];
        return array;
      }

      // An object of Swift's: its messages are functions, its keys properties.
      function object(id) {
        var names = ask("names", id), result = create(null);
        function addKey(key) {
          define(result, key, {
            get: function () { return ask("get", id, key); },
            set: function (value) { ask("set", id, key, value); },
            enumerable: true
          });
        }
        function addMessage(pair) {
          define(result, pair[0], {
            value: function () { return ask("send", id, pair[1], list(arguments)); }
          });
        }
        for (var index = 0; index < names.keys.length; index++) addKey(names.keys[index]);
        for (index = 0; index < names.messages.length; index++) addMessage(names.messages[index]);
        return result;
      }

      // Runs a function in place of a method. Without a result, that of the original stays.
      function invoke(id, call, values) {
        var result;
        try {
          var handler = functions[id];
          if (!handler) throw failure(["closed", "the bridge was reset: its functions are gone"]);
          var all = [function () { return ask("original", call, null, list(arguments)); }];
          all[1] = object(call);
          for (var index = 0; index < values.length; index++) all[index + 2] = values[index];
          result = apply(handler, undefined, all);
        } catch (error) {
          // The thrown value may be anything, with getters that throw.
          var code = "handlerFailed", message = describe(error);
          try {
            if (error instanceof AnyError && typeof error.code === "string") {
              code = error.code;
              message = describe(error.message);
            }
          } catch (_) {}
          return write([describe(code), message]);
        }
        try { return write(result === undefined ? [] : [result]); } catch (error) {
          return write(["invalidValue", describe(error)]);
        }
      }

      this.bridge = {
        call: function (name, values, callback, onPart) {
          if (values === undefined) values = [];
          if (!isArray(values)) throw new WrongType("the arguments must be an array");
          var id = send("call", 0, write([text(name), values]));
          if (typeof callback === "function") callbacks[id] = callback;
          if (typeof onPart === "function") parts[id] = onPart;
        },
        handle: function (name, handler) {
          if (typeof handler !== "function") throw new WrongType("a handler must be a function");
          handlers[name] = handler;
        },
        remove: function (name) { return delete handlers[name]; },
        object: function (name) { return object(text(name)); }
      };

      return function (kind, id, payload) {
        if (kind === "define") {
          if (typeof payload !== "function") throw new WrongType("a method must be a function");
          functions[id] = payload;
          return;
        }
        if (kind === "forget") { delete functions[id]; return; }
        var value = parse(payload);
        if (kind === "call") return void run(id, value[0], value[1]);
        if (kind === "invoke") return invoke(id, value[0], value[1]);
        if (kind === "part") { if (parts[id]) parts[id](value); return; }
        var callback = callbacks[id];
        delete callbacks[id];
        delete parts[id];
        if (!callback) return;
        if (kind === "answer") callback(null, value); else callback(failure(value), null);
      };
    })
    """#
}
