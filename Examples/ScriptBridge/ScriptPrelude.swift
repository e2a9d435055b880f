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
      var isArray = Array.isArray;
      var handlers = Object.create(null), callbacks = Object.create(null);

      // Strict where JSON.stringify would drop or change a value; undefined is null.
      function check(key, value) {
        if (value === undefined) return null;
        if (typeof value === "function" || typeof value === "symbol" ||
            typeof value === "number" && !isNumber(value)) {
          throw new TypeError("a " + typeof value + " (" + text(value) + ") is no JSON");
        }
        return value;
      }

      // ASCII only: the engine's encoding of texts is its own affair.
      function write(value) {
        return stringify(value, check).replace(/[\u007f-\uffff]/g, function (unit) {
          return "\\u" + ("000" + unit.charCodeAt(0).toString(16)).slice(-4);
        });
      }

      function describe(error) {
        try { return text(error); } catch (_) { return "an error without a text"; }
      }

      function answerer(id) {
        var answered = false;
        return function (kind, value) {
          if (answered) throw new Error("alreadyAnswered: call " + id + " has its answer");
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
          if (!isArray(values)) throw new TypeError("the arguments must be an array");
          var id = send("call", 0, write([text(name), values]));
          if (typeof callback === "function") callbacks[id] = callback;
        },
        handle: function (name, handler) {
          if (typeof handler !== "function") throw new TypeError("a handler must be a function");
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
        error = new Error(value[1]);
        error.code = value[0];
        callback(error, null);
      };
    })
    """#
}
