import { RE2JS } from 're2js'
import { makeFieldError } from '../../platform/api-errors.ts'
import { countCharacters } from './convert-values.ts'
import type { FieldOf, FieldType } from './field.ts'
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
const URL_FORM = RE2JS.compile(
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
  return URL_FORM.test(text)
}

const PARTS = /^(?:[^:/?#]+:)?(?:\/\/([^/?#]*))?([^?#]*)/

function parseUrl(text: string): { host: string; path: string } | undefined {
  // Go does not decode a query, so it may have invalid escapes
  const decoded = text.replace(/^([^?#]*)\?[^#]*/, '$1')
  if (/[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(decoded)) return undefined
  const [, authority = '', path = ''] = PARTS.exec(text)!
  return { host: authority.slice(authority.lastIndexOf('@') + 1), path }
}

/** Non-ASCII characters allowed in an email address, besides RFC 5322's atoms and quoted strings. */
const WIDE = '\\x{00A0}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFEF}'
const ATOM = `[a-zA-Z0-9!#$%&'*+\\-/=?^_\`{|}~${WIDE}]+`
const FOLD = '(([ \\t]*\\r\\n)?[ \\t]+)?'
const QUOTED_CHARACTER = `([\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\x21\\x23-\\x5b\\x5d-\\x7e${WIDE}]|\\([\\x01-\\x09\\x0b\\x0c\\x0d-\\x7f]|\\([${WIDE}])`
/** A quoted part of an address. PocketBase allows only one character between the quotes. */
const QUOTED = `"${FOLD}${QUOTED_CHARACTER}${FOLD}"`
const OUTER = `a-zA-Z${WIDE}`
const LABEL = `[${OUTER}0-9]([${OUTER}0-9\\-._~]*[${OUTER}0-9])?`
const TOP_LABEL = `[${OUTER}]([${OUTER}0-9\\-_~]*[${OUTER}])?`
const EMAIL = RE2JS.compile(`^(${ATOM}(\\.${ATOM})*|${QUOTED})@(${LABEL}\\.)+${TOP_LABEL}\\.?$`)

export const isEmail = (text: string): boolean => EMAIL.test(text)

interface Domains {
  onlyDomains: string[]
  exceptDomains: string[]
}

function isAllowed({ onlyDomains, exceptDomains }: Domains, domain: string): boolean {
  if (onlyDomains.length > 0 && !onlyDomains.includes(domain)) return false
  return !exceptDomains.includes(domain)
}

/** `email`: compares `onlyDomains` and `exceptDomains` exactly, with case. PocketBase: core/field_email.go */
export const emailType: FieldType<FieldOf<'email'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    const address = value as string
    if (!isEmail(address))
      return makeFieldError('validation_is_email', 'Must be a valid email address')
    if (isAllowed(field, address.slice(address.lastIndexOf('@') + 1))) return undefined
    return makeFieldError('validation_email_domain_not_allowed', 'Email domain is not allowed')
  },
}

/** `url`: the scheme is optional; domain options test the host. PocketBase: core/field_url.go */
export const urlType: FieldType<FieldOf<'url'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    const address = value as string
    if (!isUrl(address)) return makeFieldError('validation_invalid_url', 'Must be a valid url')
    if (isAllowed(field, parseUrl(address)?.host ?? '')) return undefined
    return makeFieldError('validation_url_domain_not_allowed', 'Url domain is not allowed')
  },
}
