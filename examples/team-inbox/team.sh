#!/bin/sh
# Creates the owner of the inbox and prints a link that invites one agent. Needs curl 7.82 and jq.
# Usage: URL=https://sms.example.com ROOT_EMAIL=… ROOT_PASSWORD=… OWNER_EMAIL=… OWNER_PASSWORD=… sh team.sh
set -eu

post() { curl -sS --fail-with-body "$URL$1" ${3:+-H "Authorization: $3"} --json "$2"; }
sign_in() { post "/api/collections/$1/auth-with-password" "$(jq -n --arg identity "$2" --arg password "$3" '$ARGS.named')" | jq -r .token; }

ROOT=$(sign_in _superusers "$ROOT_EMAIL" "$ROOT_PASSWORD")
post /api/collections/users/records "$(jq -n --arg email "$OWNER_EMAIL" --arg password "$OWNER_PASSWORD" \
  '$ARGS.named + {passwordConfirm: $password, verified: true, name: "Inbox"}')" "$ROOT" >/dev/null
OWNER=$(sign_in users "$OWNER_EMAIL" "$OWNER_PASSWORD")
post /api/account/invitations '{"role":"agent"}' "$OWNER" | jq -r .link
