import type { z } from 'zod'
import { UserError } from '../../../platform/api-errors.ts'
import { parseJson } from '../../../platform/tools/json.ts'
import { readText } from '../../../platform/tools/read-named-file.ts'

/** Reads and checks a settings file. Throws a UserError that names wrong settings but quotes no value. */
export function readSettingsFile<T>(schema: z.ZodType<T>, file: string): T {
  const given = parseJson(readText(file))
  if (given === undefined) throw new UserError(`${file} is not JSON.`)
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const lines = error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`,
  )
  throw new UserError(`Wrong settings in ${file}:\n${lines.join('\n')}`)
}
