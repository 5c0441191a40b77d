import { listVariables } from './variables.ts'

export const OF_CONTACTS: readonly string[] = ['name', 'phone', 'stop_link']

export const ownVariables = (body: string): string[] =>
  listVariables(body).filter((name) => !OF_CONTACTS.includes(name.toLowerCase()))
