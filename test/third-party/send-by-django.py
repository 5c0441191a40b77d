"""django-otp-twilio sends a token, and RapidSMS a text, each by the settings of its page."""

import sys

import django
from django.conf import settings

url, account, token, backends = sys.argv[1:5]

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django_otp", "otp_twilio"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    USE_TZ=True,
    OTP_TWILIO_URL=url,
    OTP_TWILIO_ACCOUNT=account,
    OTP_TWILIO_AUTH=token,
    OTP_TWILIO_FROM="+4915550000001",
    OTP_TWILIO_TOKEN_TEMPLATE="Your code is {token}",
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from otp_twilio.models import TwilioSMSDevice  # noqa: E402
from rapidsms.backends.kannel import KannelBackend  # noqa: E402

call_command("migrate", verbosity=0)
ann = User.objects.create_user("ann")
device = TwilioSMSDevice.objects.create(user=ann, name="phone", number="+4915112345678")
print(device.generate_challenge())

page = {}
exec(backends, page)
[(name, given)] = page["INSTALLED_BACKENDS"].items()
del given["ENGINE"]
KannelBackend(None, name, **given).send("1", "Grüße", ["+4915112345679", "+4915112345680"])
