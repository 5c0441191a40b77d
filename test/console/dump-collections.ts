import { BUILT_IN } from '../../src/main/collection-definitions.ts'
import { isSelectField } from '../../src/portable/select-values.ts'

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

/** The columns of a line, as Biome has it. */
const WIDTH = 100

/** The visible fields of the built-in collections as TypeScript, for the console's types and forms. */
export function dumpCollections(): string {
  const collections: Iterable<{ name: string; type: string; fields: readonly Field[] }> =
    BUILT_IN.raw.values()
  const tables = Array.from(collections, ({ name, type, fields }) => {
    const own = fields.filter((field) => !field.hidden && field.name !== 'id')
    const known = new Set(own.map((field) => field.name))
    const auth = type === 'auth' ? AUTH.filter((field) => !known.has(field.name)) : []
    return `export const ${name} = {\n${[...auth, ...own].map((field) => line(name, field)).join('')}} as const\n`
  })
  return ["// generated from the collections' schemas by `npm run schema`\n", ...tables].join('\n')
}

/** Fields of each auth collection that its definition does not list. */
const AUTH: readonly Field[] = [
  { name: 'email', type: 'email' },
  { name: 'emailVisibility', type: 'bool' },
  { name: 'verified', type: 'bool' },
]

function line(collection: string, field: Field): string {
  const { name, type, required, min, max, maxSelect = 1, values } = field
  const listed = `${collection}.${name}`
  const facts = [
    `type: '${type}'`,
    ...(required ? ['required: true'] : []),
    ...(maxSelect > 1 ? ['many: true'] : []),
    ...(min ? [`min: ${min}`] : []),
    ...(max ? [`max: ${max}`] : []),
    ...(isSelectField(listed) ? [`valuesOf: '${listed}'`] : []),
  ]
  if (!values || isSelectField(listed)) return `  ${name}: { ${facts.join(', ')} },\n`
  const quoted = values.map((value) => `'${value}'`)
  const inline = `    values: [${quoted.join(', ')}],`
  const list =
    inline.length <= WIDTH ? inline : `    values: [\n      ${quoted.join(',\n      ')},\n    ],`
  return `  ${name}: {\n${facts.map((fact) => `    ${fact},\n`).join('')}${list}\n  },\n`
}
