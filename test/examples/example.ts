import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

export const readExample = (file: string): string => readFileSync(join(EXAMPLES, file), 'utf8')
