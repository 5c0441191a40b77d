import fs from 'node:fs'
import { Book } from './dsl.mjs'
import { fixtures, identities } from './fixtures-dev.mjs'
import { demoCollections } from './schema-dev.mjs'

const AREAS = ['sms', 'filter', 'crud', 'auth', 'rules', 'batch', 'collections', 'misc', 'realtime']
const BUILTIN = new URL('../../../src/collections/definition/builtin.json', import.meta.url)

/** The built-in collections, with PocketBase's own duration of tokens. */
const builtin = JSON.parse(fs.readFileSync(BUILTIN, 'utf8')).map(
  ({ authToken: _, ...collection }) => collection,
)

const requests = new Book()
for (const area of AREAS) (await import(`./defs/${area}.mjs`)).define(requests, fixtures)

export const book = {
  schema: [...builtin, ...demoCollections],
  fixtures,
  identities,
  areas: requests.areas,
}
