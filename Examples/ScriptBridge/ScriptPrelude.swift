/// What scripts see of the bridge: an object `bridge` with `call`, `handle` and `remove`.
enum ScriptPrelude {
  /// A function of `send`, which defines `bridge` and returns `receive`.
  ///
  /// `send(kind, id, payload)` returns a call's id; Swift gets the message when the script has
  /// returned.
  /// `receive(kind, id, payload)` takes a message of Swift's.
  static let source = #"""
    (function (send) {
      // Scripts may put other things in place of these.
      var stringify = JSON.stringify, parse = JSON.parse, text = String, isNumber = isFinite;
      var isArray = Array.isArray, AnyError = Error, WrongType = TypeError;
      function method(f) { return Function.prototype.call.bind(f); }
      var replace = method("".replace), slice = method("".slice);
      var unitAt = method("".charCodeAt), digits = method((0).toString);
      var handlers = Object.create(null), callbacks = Object.create(null);

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
          answered = true;
          var payload;
          try { payload = write(value); } catch (error) {
            kind = "failure";
            payload = write(["invalidValue", describe(error)]);
          }
          send(kind, id, payload);
        };
      }

      function run(id, name, values) {
        var finish = answerer(id), handler = handlers[name];
        function fail(error) { finish("failure", ["handlerFailed", describe(error)]); }
        if (!handler) {
          return finish("failure", ["unknownHandler", "the script handles no " + name]);
        }
        try {
          handler(values, function (error, result) {
            if (error === null || error === undefined) finish("answer", result); else fail(error);
          });
        } catch (error) {
          // One that has answered already fails in the script's own name.
          try { fail(error); } catch (_) { throw error; }
        }
      }

      this.bridge = {
        call: function (name, values, callback) {
          if (values === undefined) values = [];
          if (!isArray(values)) throw new WrongType("the arguments must be an array");
          var id = send("call", 0, write([text(name), values]));
          if (typeof callback === "function") callbacks[id] = callback;
        },
        handle: function (name, handler) {
          if (typeof handler !== "function") throw new WrongType("a handler must be a function");
          handlers[name] = handler;
        },
        remove: function (name) { return delete handlers[name]; }
      };

      return function (kind, id, payload) {
        var value = parse(payload);
        if (kind === "call") return run(id, value[0], value[1]);
        var callback = callbacks[id], error = null;
        delete callbacks[id];
        if (!callback) return;
        if (kind === "answer") return callback(null, value);
        error = new AnyError(value[1]);
        error.code = value[0];
        callback(error, null);
      };
    })
    """#
}
