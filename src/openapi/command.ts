import { writeFileSync } from 'node:fs'
import { defineCommand } from 'citty'
import { runProgramCommand, UserError } from '../errors.ts'
import { type DocumentScope, describedCollections, openApiDocument } from './document.ts'

/** `pocketsms openapi`: prints the API description without a server. `setting` may throw a UserError. */
export const openapiCommand = (setting: () => Omit<DocumentScope, 'collections'>) =>
  defineCommand({
    meta: { name: 'openapi', description: 'Print the API as an OpenAPI 3.1 document (JSON).' },
    args: { out: { type: 'string', description: 'write it to this file', valueHint: 'FILE' } },
    run: ({ args: { out } }) =>
      runProgramCommand(async () => {
        const document = openApiDocument({ ...setting(), collections: describedCollections() })
        const text = `${JSON.stringify(document, null, 2)}\n`
        if (out) save(out, text)
        else print(text)
      }),
  })

function print(text: string): void {
  process.stdout.once('error', () => process.exit())
  process.stdout.write(text)
}

function save(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}`)
  }
}
