import { variablesOf } from './placeholders.ts'

/** The server knows these of each contact. */
export const OF_CONTACTS: readonly string[] = ['name', 'phone']

/** The variables of a text that the sender may fill in for all recipients, each once. */
export const ownVariables = (body: string): string[] =>
  variablesOf(body).filter((name) => !OF_CONTACTS.includes(name.toLowerCase()))
