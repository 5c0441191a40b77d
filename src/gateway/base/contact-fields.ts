import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { ContactFieldKind, ContactFieldType } from '../../portable/contact-field-value.ts'
import { makeValueFinder } from '../../portable/text-template.ts'

/** A field that an account has defined for its contacts. */
export interface ContactField extends ContactFieldKind {
  readonly id: string
  /** The member of `contacts.data`: the first name of the field. */
  readonly key: string
  readonly name: string
  /** Names between the first and the present one. */
  readonly former: readonly string[]
}

/** The fields of an account, the oldest first. */
export async function loadFieldDefinitions(db: Db, user: string): Promise<ContactField[]> {
  const found = await queries(db)
    .selectFrom('contact_fields')
    .select(['id', 'key', 'name', 'type', 'choices', 'former'])
    .where('user', '=', user)
    .orderBy('_rowid')
    .execute()
  return found.map(({ type, choices, former, ...field }) => ({
    ...field,
    type: type as ContactFieldType,
    choices: readList(choices),
    former: readList(former),
  }))
}

const readList = (json: string | null): readonly string[] => (json === null ? [] : JSON.parse(json))

/** All names by which templates, imports and programs find a field. */
export const listFieldVariables = ({ name, key, former }: ContactField): readonly string[] => [
  name,
  key,
  ...former,
]

/** Returns a function that finds a field by one of its names: see `makeValueFinder`. */
export function makeFieldFinder(fields: readonly ContactField[]) {
  const find = makeValueFinder(
    fields.flatMap((field) => listFieldVariables(field).map((name) => [name, field] as const)),
  )
  return (name: string): ContactField | undefined => find(name.trim())
}
