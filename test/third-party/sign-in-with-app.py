"""Signs in with a password and a code by the PyPI client, as its methods are. Prints who signed in."""

import sys

from pocketbase import PocketBase
from pocketbase.errors import ClientResponseError

url, email, password, code = sys.argv[1:5]
client = PocketBase(url)
users = client.collection("users")
try:
    users.auth_with_password(email, password)
    sys.exit("the password was enough")
except ClientResponseError as error:
    mfa_id = error.data["mfaId"]

# the client has no method for one-time passwords, but sends any request
asked = client.send("/api/collections/users/request-otp", {"method": "POST", "body": {"email": email}})
form = {"otpId": asked["otpId"], "password": code, "mfaId": mfa_id}
answer = client.send("/api/collections/users/auth-with-otp", {"method": "POST", "body": form})
signed_in = users.auth_response(answer)
print(signed_in.record.id, users.auth_refresh().is_valid)
