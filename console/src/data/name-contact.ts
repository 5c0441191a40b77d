import { formatPhone } from '#portable/phone/format-phone.ts'
import type { Contact } from './record-types.ts'

/** The name of a contact, or its number if it has none. */
export const nameContact = ({ name, phone }: Pick<Contact, 'name' | 'phone'>): string =>
  name || formatPhone(phone)
