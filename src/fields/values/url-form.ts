import { RE2JS } from 're2js'
import { countCharacters } from './text-length.ts'

/** A URL as PocketBase accepts it. Follows github.com/asaskevich/govalidator and Go's net/url. */
const SCHEME = '((ftp|tcp|udp|wss?|https?)://)?'
const USER = '(\\S+(:\\S*)?@)?'
const IPV4 =
  '([1-9]\\d?|1\\d\\d|2[01]\\d|22[0-3]|24\\d|25[0-5])(\\.(\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5])){2}\\.([0-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])'
const HEX = '[0-9a-fA-F]{1,4}'
const OCTET = '(25[0-5]|(2[0-4]|1?\\d)?\\d)'
const IPV6 = `\\[((${HEX}:){7}${HEX}|(${HEX}:){1,7}:|(${HEX}:){1,6}:${HEX}|(${HEX}:){1,5}(:${HEX}){1,2}|(${HEX}:){1,4}(:${HEX}){1,3}|(${HEX}:){1,3}(:${HEX}){1,4}|(${HEX}:){1,2}(:${HEX}){1,5}|${HEX}:(:${HEX}){1,6}|:((:${HEX}){1,7}|:)|fe80:(:[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]+|::(ffff(:0{1,4})?:)?(${OCTET}\\.){3}${OCTET}|(${HEX}:){1,4}:(${OCTET}\\.){3}${OCTET})\\]`
const WIDE = 'a-zA-Z\\x{00a1}-\\x{ffff}'
const PREFIX =
  '(([a-zA-Z0-9]([a-zA-Z0-9_-]+)?[a-zA-Z0-9]([-.][a-zA-Z0-9]+)*)|((www\\.)|([a-zA-Z0-9]+([-_.]?[a-zA-Z0-9])*[a-zA-Z0-9]\\.[a-zA-Z0-9]+))?)?'
const NAME = `${PREFIX}(([${WIDE}0-9]+-?-?)*[${WIDE}0-9]+)(\\.([${WIDE}]+))?`
const URL_FORM = RE2JS.compile(`^${SCHEME}${USER}(${IPV4}|${IPV6}|${NAME})\\.?(:(\\d{1,5}))?([/?#][^\\s]*)?$`)

const MAX_CHARACTERS = 2083
const MIN_BYTES = 3

export function isUrl(text: string): boolean {
  if (countCharacters(text) >= MAX_CHARACTERS || Buffer.byteLength(text) <= MIN_BYTES || text.startsWith('.'))
    return false
  const parsed = parseUrl(text.includes(':') && !text.includes('://') ? `http://${text}` : text)
  if (!parsed || parsed.host.startsWith('.')) return false
  if (parsed.host === '' && parsed.path !== '' && !parsed.path.includes('.')) return false
  return URL_FORM.test(text)
}

/** Host and port of a URL; `''` without a scheme, undefined if it does not parse. Go: net/url.Parse */
export const hostOf = (text: string): string | undefined => parseUrl(text)?.host

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/

function parseUrl(text: string): { host: string; path: string } | undefined {
  if (/[\x00-\x1f\x7f]/.test(text)) return undefined
  const [beforeFragment = '', fragment = ''] = text.split(/#(.*)/s)
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(beforeFragment)
  const [scheme, afterScheme] = match ? [match[1]!, match[2]!] : ['', beforeFragment]
  if (afterScheme.startsWith(':') && scheme === '') return undefined
  const rest = afterScheme.split('?')[0]!
  if (BAD_ESCAPE.test(fragment)) return undefined
  if (rest.startsWith('//')) return parseAuthority(rest.slice(2))
  if (!rest.startsWith('/') && scheme !== '') return { host: '', path: '' }
  if (rest.split('/')[0]!.includes(':') || BAD_ESCAPE.test(rest)) return undefined
  return { host: '', path: rest }
}

function parseAuthority(text: string): { host: string; path: string } | undefined {
  const slash = text.indexOf('/')
  const [authority, path] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)]
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) return undefined
  if (!isHost(host) || BAD_ESCAPE.test(path)) return undefined
  return { host, path }
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return /^\[[^\]%]*(%25([^\]%]|%[0-9a-fA-F]{2})*)?\](:\d*)?$/.test(host)
  const colon = host.lastIndexOf(':')
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) return false
  return /^([A-Za-z0-9\-._~!$&'()*+,;=:<>"[\]]|[^\x00-\x7f]|%[89a-fA-F][0-9a-fA-F])*$/.test(host)
}
