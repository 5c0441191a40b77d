import { makeFieldError } from '../../platform/api-errors.ts'
import type { FieldOf, FieldType } from './field.ts'
import { compileAtFirstUse } from './regex-patterns.ts'
import { TEXT_LIKE } from './scalar-types.ts'

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
const emailForm = compileAtFirstUse(
  `^(${ATOM}(\\.${ATOM})*|${QUOTED})@(${LABEL}\\.)+${TOP_LABEL}\\.?$`,
)

export const isEmail = (text: string): boolean => emailForm().test(text)

interface Domains {
  onlyDomains: string[]
  exceptDomains: string[]
}

/** Whether the options of an email or URL field allow a domain. Compares with case, as PocketBase. */
export function isDomainAllowed({ onlyDomains, exceptDomains }: Domains, domain: string): boolean {
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
    if (isDomainAllowed(field, address.slice(address.lastIndexOf('@') + 1))) return undefined
    return makeFieldError('validation_email_domain_not_allowed', 'Email domain is not allowed')
  },
}
