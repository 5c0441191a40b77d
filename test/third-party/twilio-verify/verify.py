"""Plays the life of verifications with Twilio's library for Python, and prints what came of each step."""

import json
import sys
from urllib.request import urlopen

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

gateway, helper, sid, token, _ = sys.argv[1:]


class Here(TwilioHttpClient):
    def request(self, method, to, *args, **kwargs):
        return super().request(method, to.replace("https://verify.twilio.com", gateway), *args, **kwargs)


services = Client(sid, token, http_client=Here()).verify.v2.services
steps = []


def step(work):
    try:
        steps.append(work())
    except TwilioRestException as error:
        steps.append(f"{error.status} {error.code}")


def ask(path):
    return urlopen(f"{helper}/{path}").read().decode()


shop = services.create(friendly_name="Python", code_length=6)
verifications, checks = services(shop.sid).verifications, services(shop.sid).verification_checks
right, late, gone, many = [f"+491512200000{i}" for i in range(1, 5)]


def start(to):
    return verifications.create(to=to, channel="sms")


def check(to, code):
    return checks.create(to=to, code=code)


step(lambda: start(right).status)
code = ask("code")
step(lambda: check(right, "000").status)
step(lambda: (lambda one: f"{one.status} {str(one.valid).lower()}")(check(right, code)))
step(lambda: check(right, code).status)
step(lambda: start(late).status)
ask("expire")
step(lambda: check(late, ask("code")).status)
canceled = start(gone)
step(lambda: verifications(canceled.sid).fetch().status)
step(lambda: verifications(canceled.sid).update(status="canceled").status)
step(lambda: check(gone, "000").status)
start(many)
for _ in range(6):
    step(lambda: check(many, "000").status)
step(lambda: start("+881612345678").status)
step(lambda: start("0151").status)
step(lambda: services("VA" + "0" * 32).fetch().sid)
step(lambda: services(shop.sid).update(friendly_name="Python 2").friendly_name)
step(lambda: str(any(one.sid == shop.sid for one in services.list(page_size=1))).lower())
step(lambda: str(services(shop.sid).delete()).lower())
print(json.dumps(steps))
