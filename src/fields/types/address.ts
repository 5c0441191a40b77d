import { RE2JS } from 're2js'
import { fieldError } from '../../errors.ts'
import type { FieldOf, FieldType } from '../field.ts'
import { hostOf, isUrl } from '../values/url-form.ts'
import { required, TEXT_LIKE } from './text.ts'

/** Non-ASCII characters allowed in an address; the rest is RFC 5322's atoms and quoted strings. */
const WIDE = '\\x{00A0}-\\x{D7FF}\\x{F900}-\\x{FDCF}\\x{FDF0}-\\x{FFEF}'
const ATOM = `[a-zA-Z0-9!#$%&'*+\\-/=?^_\`{|}~${WIDE}]+`
const FOLD = '(([ \\t]*\\r\\n)?[ \\t]+)?'
const QUOTED_CHARACTER = `([\\x01-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f\\x21\\x23-\\x5b\\x5d-\\x7e${WIDE}]|\\([\\x01-\\x09\\x0b\\x0c\\x0d-\\x7f]|\\([${WIDE}])`
/** PocketBase allows only one character between the quotes. */
const QUOTED = `"${FOLD}${QUOTED_CHARACTER}${FOLD}"`
const OUTER = `a-zA-Z${WIDE}`
const LABEL = `[${OUTER}0-9]([${OUTER}0-9\\-._~]*[${OUTER}0-9])?`
const TOP_LABEL = `[${OUTER}]([${OUTER}0-9\\-_~]*[${OUTER}])?`
const EMAIL = RE2JS.compile(`^(${ATOM}(\\.${ATOM})*|${QUOTED})@(${LABEL}\\.)+${TOP_LABEL}\\.?$`)

/** Whether PocketBase accepts the text as an email address. */
export const isEmail = (text: string): boolean => EMAIL.test(text)

interface Domains {
  onlyDomains: string[]
  exceptDomains: string[]
}

function isAllowed({ onlyDomains, exceptDomains }: Domains, domain: string): boolean {
  if (onlyDomains.length > 0 && !onlyDomains.includes(domain)) return false
  return !exceptDomains.includes(domain)
}

/** `email`: options `onlyDomains`, `exceptDomains`, compared exactly. PocketBase: core/field_email.go */
export const email: FieldType<FieldOf<'email'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    const address = value as string
    if (address === '') return field.required ? required() : undefined
    if (!isEmail(address)) return fieldError('validation_is_email', 'Must be a valid email address')
    if (isAllowed(field, address.slice(address.lastIndexOf('@') + 1))) return undefined
    return fieldError('validation_email_domain_not_allowed', 'Email domain is not allowed')
  },
}

/** `url`: the scheme is optional; domain options test the host. PocketBase: core/field_url.go */
export const url: FieldType<FieldOf<'url'>> = {
  ...TEXT_LIKE,
  check(field, value) {
    const address = value as string
    if (address === '') return field.required ? required() : undefined
    if (!isUrl(address)) return fieldError('validation_invalid_url', 'Must be a valid url')
    if (isAllowed(field, hostOf(address) ?? '')) return undefined
    return fieldError('validation_url_domain_not_allowed', 'Url domain is not allowed')
  },
}
