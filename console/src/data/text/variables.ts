import { variablesOf } from './placeholders.ts'

/** Variables that the server fills in for each contact. */
export const OF_CONTACTS: readonly string[] = ['name', 'phone']

/** The variables of a text that the sender may fill in for all recipients, each once. */
export const ownVariables = (body: string): string[] =>
  variablesOf(body).filter((name) => !OF_CONTACTS.includes(name.toLowerCase()))
