"""Makes every call of Vendel's SDK and prints what it read. Arguments: URL, key, a key without quota, template."""

import json
import sys

from vendel_sdk import VendelAPIError, VendelClient, VendelQuotaError, verify_webhook_signature

url, key, poor, template, payload, signature, secret = sys.argv[1:]
client = VendelClient(url, key)
sent = client.send_sms(["+4911111", "+4922222"], "Hi")
try:
    client.send_sms(["017"], "Hi")
except VendelAPIError as error:
    refused = [error.status_code, error.message]
try:
    VendelClient(url, poor).send_sms(["+4911111", "+4922222"], "Hi")
except VendelQuotaError as error:
    quota = [error.status_code, error.message, error.limit, error.used, error.available]
read = [
    sent.recipients_count,
    client.send_sms_template(["+4933333"], template).recipients_count,
    client.get_quota().devices_registered,
    client.get_message_status(sent.message_ids[0]).recipient,
    client.get_batch_status(sent.batch_id).total,
    [contact.name for contact in client.list_contacts(search="zoe").items],
    [group.name for group in client.list_contact_groups().items],
    client.list_devices(device_type="android").total_items,
    [one.recipient for one in client.list_messages(batch_id=sent.batch_id, recipient="+4922222").items],
    refused,
    quota,
    verify_webhook_signature(payload, signature, secret),
]
print(json.dumps(read))
