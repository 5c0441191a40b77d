"""Every call of the PyPI client, by one of its HTTP libraries. Prints what came of each as JSON."""

import datetime
import json
import sys

from android_sms_gateway import client, domain, enums, errors, http

url, login, key, other_device, library = sys.argv[1:6]
said = {}
# a picture of one dot
DOT = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


def note(name, work):
    try:
        value = work()
        said[name] = value if isinstance(value, (str, int, list, type(None))) else "ok"
    except Exception as error:
        status = getattr(error, "status_code", None) or error.response.status_code
        said[name] = f"{type(error).__name__} {status}"


def instant(hours):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)


def text(body="From Python", numbers=("+4911111",), **more):
    return domain.Message(phone_numbers=list(numbers), text_message=domain.TextMessage(text=body), **more)


transport = http.HttpxHttpClient() if library == "httpx" else http.RequestsHttpClient()
with transport as connection:
    api = client.APIClient(login, key, base_url=url, http=connection)
    sent = api.send(text(id=f"python {library}", valid_until=instant(2), priority=5), skip_phone_validation=True)
    note("send", lambda: [sent.id, sent.state.value, sent.recipients[0].phone_number])
    picture = domain.MmsAttachment(content_type="image/png", name="dot.png", data=DOT)
    note("send picture", lambda: api.send(domain.Message(
        phone_numbers=["+4911111"], mms_message=domain.MmsMessage(subject="Shop", attachments=[picture]))).state.value)
    note("send again", lambda: api.send(text(id=f"python {library}")))
    note("send nowhere", lambda: api.send(text(numbers=["12345"])))
    note("state", lambda: api.get_state(sent.id).state.value)
    note("no state", lambda: api.get_state("nobody"))
    note("messages", lambda: len(api.get_messages(
        query=domain.MessagesQueryFilter(from_=instant(-1), to=instant(1), state="Pending"),
        pagination=domain.QueryPagination(limit=10, offset=0), sort="-created_at")))
    note("cancel", lambda: api.cancel_message(sent.id))
    note("cancel again", lambda: api.cancel_message(sent.id))
    note("canceled", lambda: api.get_state(sent.id).state.value)
    hook = api.create_webhook(domain.Webhook(id=None, url="https://example.com/hook", event=enums.WebhookEvent.SMS_RECEIVED))
    note("webhook", lambda: hook.url)
    note("wrong webhook", lambda: api.create_webhook(domain.Webhook(id=None, url="nowhere", event=enums.WebhookEvent.SMS_RECEIVED)))
    note("webhooks", lambda: [one.id for one in api.get_webhooks()] == [hook.id] and 1)
    note("delete webhook", lambda: api.delete_webhook(hook.id))
    note("devices", lambda: len([one.last_seen.isoformat() for one in api.list_devices()]))
    note("no device", lambda: api.remove_device("nobody"))
    note("settings", lambda: api.get_settings().ping.interval_seconds)
    key_of = domain.DeviceSettings(webhooks=domain.SettingsWebhooks(signing_key="a key of the user"))
    note("patch settings", lambda: api.patch_settings(key_of))
    note("update settings", lambda: api.update_settings(key_of))
    note("wrong settings", lambda: api.patch_settings(domain.DeviceSettings(ping=domain.SettingsPing(interval_seconds=5))))
    note("logs", lambda: api.get_logs())
    for check in ("health_check", "liveness_check", "readiness_check", "startup_check"):
        note(check, lambda: getattr(api, check)().status.value)
    period = {"since": instant(-48), "until": instant(0)}
    note("export", lambda: api.export_inbox(domain.MessagesExportRequest(device_id=other_device, **period)))
    note("refresh inbox", lambda: api.refresh_inbox(domain.InboxRefreshRequest(
        webhook_delivery=enums.WebhookDelivery.INDIVIDUAL, **period)))
    note("inbox", lambda: [one.sender for one in api.list_inbox_messages(pagination=domain.QueryPagination(limit=5))])
    note("attachment", lambda: api.download_attachment("nobody", 1))
    pair = api.generate_token(domain.TokenRequest(scopes=["messages:list"], ttl=60))
    with_token = client.APIClient(None, pair.access_token, base_url=url, http=connection)
    note("token", lambda: with_token.get_messages() and 1)
    note("token elsewhere", lambda: with_token.list_devices())
    next_pair = api.refresh_token(pair.refresh_token)
    note("refresh token again", lambda: api.refresh_token(pair.refresh_token))
    note("revoke", lambda: api.revoke_token(next_pair.id))
    revoked = client.APIClient(None, next_pair.access_token, base_url=url, http=connection)
    note("revoked", lambda: revoked.get_messages())
    note("wrong password", lambda: client.APIClient(login, "psk_wrong", base_url=url, http=connection).get_webhooks())
print(json.dumps(said))
