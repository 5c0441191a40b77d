"""Does with Twilio's library for Python what a program does, and prints what came of it as JSON."""

import json
import sys
from datetime import date, datetime, timedelta, timezone

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.request_validator import RequestValidator
from twilio.rest import Client

url, sid, token, number, call = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], json.loads(sys.argv[5])


class Here(TwilioHttpClient):
    def request(self, method, to, *args, **kwargs):
        return super().request(method, to.replace("https://api.twilio.com", url), *args, **kwargs)


client = Client(sid, token, http_client=Here())
to = "+4915112345600"


def code_of(work):
    try:
        work()
    except TwilioRestException as error:
        return [error.status, error.code]
    return None


made = client.messages.create(to=to, from_=number, body="From Python")
later = datetime.now(timezone.utc) + timedelta(hours=1)
planned = client.messages.create(
    to=to, messaging_service_sid="MG" + sid[2:], body="Later", schedule_type="fixed", send_at=later
)
canceled = client.messages(planned.sid).update(status="canceled")
redacted = client.messages(planned.sid).update(body="")
for _ in range(3):
    client.messages.create(to=to, body="Page")
numbers = client.incoming_phone_numbers.list(phone_number=number)
result = {
    "status": made.status,
    "from": made.from_,
    "created": made.date_created.isoformat(),
    "sent": made.date_sent,
    "fetched": client.messages(made.sid).fetch().sid == made.sid,
    "planned": planned.status,
    "canceled": canceled.status,
    "redacted": redacted.body,
    "listed": len(client.messages.list(to=to, page_size=2)),
    "limited": len(client.messages.list(to=to, limit=3)),
    "streamed": len(list(client.messages.stream(to=to, limit=5000))),
    "today": len(client.messages.list(to=to, date_sent=date.today())),
    "media": len(client.messages(made.sid).media.list()),
    "numbers": [one.phone_number for one in numbers],
    "sms_url": numbers[0].update(sms_url=url + "/sms", sms_method="GET").sms_method,
    "account": client.api.v2010.accounts(sid).fetch().status,
    "deleted": client.messages(planned.sid).delete(),
    "valid": RequestValidator(token).validate(call["url"], call["form"], call["signature"]),
    "errors": {
        "no_body": code_of(lambda: client.messages.create(to=to, from_=number)),
        "to": code_of(lambda: client.messages.create(to="123", body="x")),
        "gone": code_of(lambda: client.messages(planned.sid).fetch()),
        "busy": code_of(lambda: client.messages(made.sid).delete()),
        "login": code_of(lambda: Client(sid, "wrong", http_client=Here()).messages(made.sid).fetch()),
    },
}
numbers[0].update(sms_url="")
print(json.dumps(result))
