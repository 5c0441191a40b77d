import type { CollectionField, CollectionModel } from 'pocketbase'
import { type Collections, isMultiRelation } from '../../data/schema.ts'
import { t, tx } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, type Fact, Facts } from '../../parts/page.tsx'
import { makePageHref } from '../../router.ts'

const RULES = [
  ['listRule', t('List')],
  ['viewRule', t('View')],
  ['createRule', t('Create')],
  ['updateRule', t('Update')],
  ['deleteRule', t('Delete')],
  ['authRule', t('Sign in')],
  ['manageRule', t('Manage')],
] as const

/** The fields, rules and indexes of a collection, to read. */
export const Schema = ({ collection, all }: { collection: CollectionModel; all: Collections }) => (
  <>
    <p class="muted">
      {tx('You change collections by the API: see {link}.', {
        link: <a href="/docs">{t('API reference')}</a>,
      })}
    </p>
    {collection.type === 'view' && (
      <Card title={t('Query')}>
        <CodeBlock code={collection.viewQuery} />
      </Card>
    )}
    <Table caption={t('Fields')} columns={makeFieldColumns(all)} rows={collection.fields} />
    <Card title={t('Rules')}>
      <Facts
        facts={RULES.map(
          ([name, words]): Fact | false =>
            name in collection && [words, describeRule(collection[name as 'listRule'])],
        )}
      />
    </Card>
    {collection.indexes.length > 0 && (
      <Card title={t('Indexes')}>
        <CodeBlock code={collection.indexes.join('\n')} />
      </Card>
    )}
  </>
)

function describeRule(rule: string | null | undefined) {
  if (rule === '') return t('Everybody, also without a sign-in')
  return typeof rule === 'string' ? <code class="breaks">{rule}</code> : t('Only superusers')
}

const makeFieldColumns = (all: Collections): readonly Column<CollectionField>[] => [
  { title: t('Field'), cell: ({ name }) => <code>{name}</code> },
  {
    title: t('Type'),
    cell: (field) => {
      const target = all.find(({ id }) => id === field.collectionId)?.name
      const type = isMultiRelation(field) ? t('{type}, several', { type: field.type }) : field.type
      return target ? (
        <>
          {type} → <a href={makePageHref(`/collections/${target}`)}>{target}</a>
        </>
      ) : (
        type
      )
    },
  },
  {
    title: t('Limits'),
    cell: (field) => <div class="breaks">{describeLimits(field)}</div>,
  },
]

/** The settings of a field beside its type. */
function describeLimits({
  required,
  hidden,
  system,
  min,
  max,
  pattern,
  values,
}: CollectionField): string {
  return [
    required && t('required'),
    hidden && t('hidden'),
    system && t('of the system'),
    min && t('at least {min}', { min }),
    max && t('at most {max}', { max }),
    pattern,
    values?.join(', '),
  ]
    .filter(Boolean)
    .join(' · ')
}
