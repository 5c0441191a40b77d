"""Sends a text, waits until it is delivered, and receives webhooks: with the standard library alone."""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread



def require(name: str) -> str:
    """The value of an environment variable. Ends the program if it is absent or empty."""
    value = os.environ.get(name, "").strip()
    if not value:
        sys.exit(f"{name} is not set")
    return value


URL, KEY, SECRET = (require(name) for name in ("POCKETSMS_URL", "POCKETSMS_KEY", "WEBHOOK_SECRET"))


def call(path: str, values: dict | None = None, **headers: str) -> dict:
    """The server's answer to a GET, or to a POST of these values. Raises urllib.error.HTTPError."""
    body = None if values is None else json.dumps(values).encode()
    headers = {"X-API-Key": KEY, "Content-Type": "application/json", **headers}
    with urllib.request.urlopen(urllib.request.Request(URL + path, body, headers), timeout=10) as answer:
        return json.load(answer)


def wait_until_delivered(message: str, seconds: float = 600) -> dict:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = call(f"/api/sms/messages/{message}")
        if found["status"] == "delivered":
            return found
        if found["status"] == "failed":
            raise RuntimeError(found["error_message"])
        time.sleep(1)
    raise TimeoutError(message)


def verify(secret: str, headers, body: bytes) -> bool:
    """Whether a webhook's call is signed with the secret, at most five minutes ago."""
    identity, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:  # with an empty key everybody could sign
        return False
    signed = f"{identity}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Webhook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        is_signed = verify(SECRET, self.headers, body)
        if is_signed:
            event = json.loads(body)
            print("webhook", event["type"], event["data"]["to"], flush=True)
        self.send_response(204 if is_signed else 400)
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Webhook)
    Thread(target=server.serve_forever).start()
    text = {"recipients": ["+4915112345678"], "body": "Your order 1042 is on its way."}
    sent = call("/api/sms/send", text, **{"Idempotency-Key": "order-1042-shipped"})
    print(wait_until_delivered(sent["message_ids"][0])["status"], flush=True)
