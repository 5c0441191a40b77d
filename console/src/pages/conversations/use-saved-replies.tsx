import { isSameName } from '#portable/fold-text.ts'
import { findContactField } from '../../data/contact-fields.ts'
import type { Contact, Template } from '../../data/record-types.ts'
import { hasWords } from '../../data/search/words.ts'
import { fillTemplate, listOwnVariables } from '../../data/text/variables.ts'
import { listFiles } from '../../data/use/chosen-files.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useList } from '../../data/use/use-list.ts'
import type { Completion } from './completing-area.tsx'

const MAX_TEMPLATES = 200
const SHOWN = 20

/** The user's templates, filled in with the contact's values. Variables without a value keep their braces. */
export function useSavedReplies({
  number,
  name,
  contact,
  isContactKnown,
}: {
  number: string
  name: string
  contact: Contact | undefined
  isContactKnown: boolean
}) {
  const { items } = useList<Template>('sms_templates', { sort: 'name', perPage: MAX_TEMPLATES })
  const fields = useContactFields(items.some(({ body }) => listOwnVariables(body).length > 0))
  const valueFor = (variable: string) => {
    if (isSameName(variable, 'phone')) return number
    return isSameName(variable, 'name')
      ? name || undefined
      : contact && findContactField(contact, variable, fields.items)
  }
  return {
    hasAny: items.length > 0,
    find(typed: string): Completion[] {
      if (!isContactKnown) return []
      return items
        .filter((template) => hasWords(template.name, typed))
        .slice(0, SHOWN)
        .map((template) => ({
          id: template.id,
          title: template.name,
          text: fillTemplate(template.body, valueFor),
          files: listFiles(template, template.attachments),
        }))
    },
  }
}
