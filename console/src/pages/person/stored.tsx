import { countedKinds, type FoundData, type Kind, MOST_COUNTED } from '../../data/personal-data.ts'
import { formatNumber, t } from '../../language/words.ts'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card } from '../../parts/page.tsx'

interface Row {
  readonly id: string
  readonly kind: Kind
  readonly count: number
}

const COLUMNS: readonly Column<Row>[] = [
  { title: t('Kind'), cell: ({ kind: [, words] }) => words },
  { title: t('Entries'), align: 'end', cell: ({ count }) => formatCount(count) },
  {
    title: t('After an erasure'),
    cell: ({ kind: [, , erasure] }) => <span class="muted breaks">{erasure}</span>,
  },
]

const formatCount = (count: number) =>
  count < MOST_COUNTED ? formatNumber(count) : t('{count} or more', { count })

/** What is stored about a person, by kind. */
export function Stored({ found: { places } }: { found: FoundData }) {
  const counts = Object.fromEntries(places.map(({ place, count }) => [place, count]))
  const makeTitle = (place: string) => places.find((one) => one.place === place)?.title ?? place
  const rows = countedKinds(counts, makeTitle).map(([kind, count]): Row => ({ id: kind[0], kind, count }))
  const hasMany = places.some(({ count }) => count >= MOST_COUNTED)
  return (
    <Card title={t('What is stored')}>
      {rows.length === 0 ? (
        <p class="muted">{t('This account stores nothing about this number.')}</p>
      ) : (
        <Table caption={t('What is stored')} columns={COLUMNS} rows={rows} />
      )}
      {hasMany && (
        <p class="muted">
          {t('Kinds that belong to messages are counted for the newest {count} messages.', {
            count: MOST_COUNTED,
          })}
        </p>
      )}
    </Card>
  )
}
