import { readFileSync } from 'node:fs'

interface Field {
  readonly name: string
  readonly type: string
  readonly hidden?: boolean
  readonly required?: boolean
  readonly min?: number | null
  readonly max?: number | null
  readonly maxSelect?: number
  readonly values?: readonly string[]
}

const DEFINITION = new URL('../../src/collections/definition/builtin.json', import.meta.url)
/** The columns of a line, as Biome has it. */
const WIDTH = 110

/** The visible fields of the built-in collections as TypeScript, for the console's types and forms. */
export function dumpCollections(): string {
  const collections: { name: string; type: string; fields: Field[] }[] = JSON.parse(
    readFileSync(DEFINITION, 'utf8'),
  )
  const tables = collections.map(({ name, type, fields }) => {
    const own = fields.filter((field) => !field.hidden && field.name !== 'id')
    const known = new Set(own.map((field) => field.name))
    const auth = type === 'auth' ? AUTH.filter((field) => !known.has(field.name)) : []
    return `export const ${name} = {\n${[...auth, ...own].map(line).join('')}} as const\n`
  })
  return ["// generated from the collections' schemas by `npm run schema`\n", ...tables].join('\n')
}

/** Fields of each auth collection that its definition does not list. */
const AUTH: readonly Field[] = [
  { name: 'email', type: 'email' },
  { name: 'emailVisibility', type: 'bool' },
  { name: 'verified', type: 'bool' },
]

function line({ name, type, required, min, max, maxSelect = 1, values }: Field): string {
  const facts = [
    `type: '${type}'`,
    ...(required ? ['required: true'] : []),
    ...(maxSelect > 1 ? ['many: true'] : []),
    ...(min ? [`min: ${min}`] : []),
    ...(max ? [`max: ${max}`] : []),
  ]
  if (!values) return `  ${name}: { ${facts.join(', ')} },\n`
  const quoted = values.map((value) => `'${value}'`)
  const inline = `    values: [${quoted.join(', ')}],`
  const list = inline.length <= WIDTH ? inline : `    values: [\n      ${quoted.join(',\n      ')},\n    ],`
  return `  ${name}: {\n${facts.map((fact) => `    ${fact},\n`).join('')}${list}\n  },\n`
}
