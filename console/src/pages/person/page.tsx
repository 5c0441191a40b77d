import { useEffect, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb, postRequest } from '../../data/client.ts'
import {
  type FoundData,
  type Kind,
  listCountedKinds,
  MOST_COUNTED,
  makePersonPath,
} from '../../data/personal-data.ts'
import { useTask } from '../../data/use/use-task.ts'
import { formatNumber, t, tn } from '../../language/words.ts'
import { ExportData } from '../../parts/export-data.tsx'
import { Button, ButtonLink, FaultNotice, Notice } from '../../parts/form/form.tsx'
import { type Column, Table } from '../../parts/list/table.tsx'
import { Card, Page as Frame, Loading } from '../../parts/page.tsx'
import { PersonRequests } from '../../parts/person-requests.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { makePageHref, type PageProps } from '../../router.ts'
import { EraseDialog } from './erase-dialog.tsx'

/** The account's data about one person, with the ways to hand them out and to erase them. */
export function Page({ params: { number = '' } }: PageProps) {
  const [found, setFound] = useState<FoundData>()
  const count = useTask(async () => {
    const body = { number, preview: true }
    setFound(await postRequest<FoundData>('/api/person/erase', body))
  })
  useEffect(() => {
    setFound(undefined)
    void count.run()
  }, [number])
  const name = found?.name
  return (
    <Frame
      title={name || formatPhone(number)}
      back={{ href: makePageHref('/personal-data'), words: t('Personal data') }}
      text={name && <PhoneNumber number={number} />}
      actions={
        found?.contact && (
          <ButtonLink icon="contacts" href={makePageHref(`/contacts/${found.contact}`)}>
            {t('Contact')}
          </ButtonLink>
        )
      }
    >
      <FaultNotice fault={count.fault} retry={count.run} />
      {count.busy && !found && <Loading what={t('Counting the data')} />}
      {found && (
        <>
          {found.stopped && (
            <Notice>
              {t('The data of this person was erased before: the account sends them no texts.')}
            </Notice>
          )}
          {found.linked.length > 0 && <Linked found={found} />}
          <Stored found={found} />
          <div class="columns">
            <ExportData number={found.number} />
            <Erase found={found} />
          </div>
          <PersonRequests
            filter={pb.filter('number = {:number}', { number: found.number })}
            none={t(
              'There was no export yet. Erasures are not listed here, because they delete the number from their request, too.',
            )}
          />
        </>
      )}
    </Frame>
  )
}

/** Says that the data of linked numbers is separate, with links to their pages. */
const Linked = ({ found: { linked } }: { found: FoundData }) => (
  <Notice>
    <p>
      {t(
        'This person has other numbers. An export is of one number; an erasure offers the others, too.',
      )}
    </p>
    <div class="row">
      {linked.map(({ number }) => (
        <a key={number} href={makePageHref(makePersonPath(number))}>
          <PhoneNumber number={number} />
        </a>
      ))}
    </div>
  </Notice>
)

function Erase({ found }: { found: FoundData }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={t('Erasure of data')}>
      <p>
        {t(
          'Erases the data for good, and puts the number on the stop list: the person gets no more texts.',
        )}
      </p>
      {found.open_texts > 0 && (
        <p>
          {tn(
            'One message waits or is being sent. The erasure first cancels it.',
            '{count} messages wait or are being sent. The erasure first cancels them.',
            found.open_texts,
          )}
        </p>
      )}
      <div>
        <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
          {t('Erase the data')}
        </Button>
      </div>
      {isOpen && <EraseDialog found={found} onClose={() => setOpen(false)} />}
    </Card>
  )
}

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

/** Counts of the data about a person, by kind. */
function Stored({ found: { places } }: { found: FoundData }) {
  const counts = Object.fromEntries(places.map(({ place, count }) => [place, count]))
  const makeTitle = (place: string) => places.find((one) => one.place === place)?.title ?? place
  const rows = listCountedKinds(counts, makeTitle).map(
    ([kind, count]): Row => ({ id: kind[0], kind, count }),
  )
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
