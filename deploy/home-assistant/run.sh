# The app's options are the server's settings. /data comes from root, and the server's Postgres refuses root.
set -e
option() {
  node -p "require('/data/options.json').$1 ?? ''"
}
PUBLIC_URL=$(option PUBLIC_URL)
TRUSTED_PROXIES=$(option TRUSTED_PROXIES)
SMS_MONTHLY_QUOTA=$(option SMS_MONTHLY_QUOTA)
export PUBLIC_URL TRUSTED_PROXIES SMS_MONTHLY_QUOTA
# all files: a restored backup may have made them for root
chown -R node: /data
exec setpriv --reuid=node --regid=node --init-groups pocketsms serve
