import { variablesOf } from '../../data/text/placeholders.ts'

/** The server knows these of each contact. */
const OF_CONTACTS = new Set(['name', 'phone'])

/** The variables of a template that the sender may fill in for all recipients, each once. */
export const ownVariables = (body: string): string[] =>
  variablesOf(body).filter((name) => !OF_CONTACTS.has(name))
