const BASIC = /^basic +([A-Za-z0-9+/=_-]+) *$/i

/** Reads user name and password from an Authorization header; undefined if it has none. RFC 7617 */
export function readBasic(authorization: string | undefined) {
  const [, encoded = ''] = BASIC.exec(authorization ?? '') ?? []
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { identity: text.slice(0, colon), password: text.slice(colon + 1) }
}
