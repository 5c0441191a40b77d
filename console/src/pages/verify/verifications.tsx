import type { UserSettings, Verification, VerifyService } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import type { State } from '../../data/words/message-states.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Records, TableSection } from '../../parts/list/records.tsx'
import { actionsColumn } from '../../parts/list/row-actions.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { StateBadge, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { COUNTRIES, countCountries, listStopped, stateColumn } from './countries.tsx'

/** Approval rates are computed from this many of the newest verifications. */
const SAMPLE = 500

export function Verifications({
  services,
  settings,
}: {
  services: readonly VerifyService[]
  settings: UserSettings | undefined
}) {
  const sample = useList<Verification>('verifications', { perPage: SAMPLE, fields: 'id,to,country,status' })
  const list = useList<Verification>('verifications')
  const findName = ({ service }: Verification) => services.find(({ id }) => id === service)?.name ?? ''
  const name: Column<Verification> = { title: t('Service'), cell: findName }
  return (
    <>
      <TableSection
        title={
          sample.total > SAMPLE
            ? t('Approved by country, of the last {count}', { count: SAMPLE })
            : t('Approved by country')
        }
        none={t('Nothing was sent yet.')}
        columns={[...COUNTRIES, stateColumn(settings)]}
        rows={countCountries(sample.items, listStopped(settings))}
      />
      <section class="stack">
        <h2>{t('Last codes')}</h2>
        <Records
          list={list}
          caption={t('Last codes')}
          columns={[...(services.length > 1 ? [NUMBER, name] : [NUMBER]), ...OTHERS]}
          empty={<p class="muted">{t('Nothing was sent yet.')}</p>}
        />
      </section>
    </>
  )
}

const STATES: Readonly<Record<Verification['status'], State>> = {
  pending: ['busy', t('Pending')],
  approved: ['good', t('Approved')],
  expired: ['calm', t('Expired')],
  canceled: ['calm', t('Canceled')],
  max_attempts_reached: ['bad', t('Too many tries')],
}

const NUMBER: Column<Verification> = { title: t('To'), cell: (one) => <PhoneNumber number={one.to} /> }
const OTHERS: readonly Column<Verification>[] = [
  {
    title: t('State'),
    cell: ({ status }) => <StateBadge state={STATES[status]} />,
  },
  { title: t('Checks'), align: 'end', minor: true, cell: ({ attempts }) => attempts },
  { title: t('Sent'), align: 'end', minor: true, cell: ({ sends }) => formatNumber(sends) },
  { title: t('When'), cell: ({ created }) => <Time at={created} /> },
  actionsColumn(({ message }) =>
    message ? [{ words: t('Message'), href: to(`/messages/${message}`) }] : [],
  ),
]
