import { makeFieldError } from '../../platform/api-errors.ts'
import { countCharacters } from './convert-values.ts'
import { isDomainAllowed } from './email.ts'
import type { FieldOf, FieldType } from './field.ts'
import { compileAtFirstUse } from './regex-patterns.ts'
import { TEXT_LIKE } from './scalar-types.ts'

/** Parts of the pattern of URLs that PocketBase accepts. Source: github.com/asaskevich/govalidator */
const SCHEME = '((ftp|tcp|udp|wss?|https?)://)?'
const USER = '(\\S+(:\\S*)?@)?'
const IPV4 =
  '([1-9]\\d?|1\\d\\d|2[01]\\d|22[0-3]|24\\d|25[0-5])(\\.(\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5])){2}\\.([0-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])'
const HEX = '[0-9a-fA-F]{1,4}'
const OCTET = '(25[0-5]|(2[0-4]|1?\\d)?\\d)'
const IPV6 = `\\[((${HEX}:){7}${HEX}|(${HEX}:){1,7}:|(${HEX}:){1,6}:${HEX}|(${HEX}:){1,5}(:${HEX}){1,2}|(${HEX}:){1,4}(:${HEX}){1,3}|(${HEX}:){1,3}(:${HEX}){1,4}|(${HEX}:){1,2}(:${HEX}){1,5}|${HEX}:(:${HEX}){1,6}|:((:${HEX}){1,7}|:)|fe80:(:[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]+|::(ffff(:0{1,4})?:)?(${OCTET}\\.){3}${OCTET}|(${HEX}:){1,4}:(${OCTET}\\.){3}${OCTET})\\]`
const LETTER = 'a-zA-Z\\x{00a1}-\\x{ffff}'
const PREFIX =
  '(([a-zA-Z0-9]([a-zA-Z0-9_-]+)?[a-zA-Z0-9]([-.][a-zA-Z0-9]+)*)|((www\\.)|([a-zA-Z0-9]+([-_.]?[a-zA-Z0-9])*[a-zA-Z0-9]\\.[a-zA-Z0-9]+))?)?'
const NAME = `${PREFIX}(([${LETTER}0-9]+-?-?)*[${LETTER}0-9]+)(\\.([${LETTER}]+))?`
const urlForm = compileAtFirstUse(
  `^${SCHEME}${USER}(${IPV4}|${IPV6}|${NAME})\\.?(:(\\d{1,5}))?([/?#][^\\s]*)?$`,
)

const MAX_CHARACTERS = 2083
const MIN_BYTES = 3

export function isUrl(text: string): boolean {
  // a character is one or two units of `length`, so a long text needs no count
  if (text.length >= 2 * MAX_CHARACTERS) return false
  if (
    countCharacters(text) >= MAX_CHARACTERS ||
    Buffer.byteLength(text) <= MIN_BYTES ||
    text.startsWith('.')
  )
    return false
  const parsed = parseUrl(text.includes(':') && !text.includes('://') ? `http://${text}` : text)
  if (!parsed || parsed.host.startsWith('.')) return false
  if (parsed.host === '' && parsed.path !== '' && !parsed.path.includes('.')) return false
  return urlForm().test(text)
}

const PARTS = /^(?:[^:/?#]+:)?(?:\/\/([^/?#]*))?([^?#]*)/

function parseUrl(text: string): { host: string; path: string } | undefined {
  // Go does not decode a query, so it may have invalid escapes
  const decoded = text.replace(/^([^?#]*)\?[^#]*/, '$1')
  if (/[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(decoded)) return undefined
  const [, authority = '', path = ''] = PARTS.exec(text)!
  return { host: authority.slice(authority.lastIndexOf('@') + 1), path }
}

/** `url`: the scheme is optional; domain options test the host. PocketBase: core/field_url.go */
export const urlType: FieldType<FieldOf<'url'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    const address = value as string
    if (!isUrl(address)) return makeFieldError('validation_invalid_url', 'Must be a valid url')
    if (isDomainAllowed(field, parseUrl(address)?.host ?? '')) return undefined
    return makeFieldError('validation_url_domain_not_allowed', 'Url domain is not allowed')
  },
}
