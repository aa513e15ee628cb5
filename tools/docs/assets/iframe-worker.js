// The search's worker. Browsers start none from file://: there its script runs in a hidden frame. What would be an operator to the
// search, such as the dashes of an option or the colons of a message, is left out.
"use strict";
const plain = (message) =>
  typeof message.data === "string" ? { ...message, data: message.data.replace(/(^|\s)-+|[:^~*+]/g, " ") } : message;

class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    const script = this.inside.document.createElement("script");
    script.src = url;
    this.ready = new Promise((ready) => (script.onload = ready));
    this.inside.document.body.append(script);
  }
  postMessage(message) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data: plain(message) })));
  }
}

class PlainWorker extends Worker {
  postMessage(message) {
    super.postMessage(plain(message));
  }
}

window.Worker = location.protocol === "file:" ? FrameWorker : PlainWorker;
