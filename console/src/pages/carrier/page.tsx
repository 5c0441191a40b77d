import { CUSTOM, useCarriers } from '../../data/carriers/carriers.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { to } from '../../router.ts'
import { AddAccount, ChangeAccount } from './account.tsx'
import { Choose } from './choose.tsx'
import { Finish } from './finish.tsx'
import './page.css'

/** Stands in the address for the id of a carrier that is not added yet. */
const NEW = 'new'
/** How often the state of the carrier is read, in ms: its test text may show a refusal. */
const EVERY_MS = 5_000

/** Adds a carrier in three steps, or changes the account of a device. */
export function Page({ params: { id = '' }, query }: PageProps) {
  const { value, fault, reload } = useCarriers(id === NEW ? undefined : EVERY_MS)
  const back = { href: to('/devices'), words: t('Devices') }
  if (!value)
    return (
      <Frame title={t('Add a carrier')} back={back}>
        {fault ? <Notice kind="wrong">{fault.message}</Notice> : <Loading />}
      </Frame>
    )
  const presets = [...value.presets, CUSTOM]
  const findPreset = (name: string | undefined | null) => presets.find((preset) => preset.name === name)
  if (id === NEW) {
    const preset = findPreset(query.get('preset'))
    return preset ? <AddAccount preset={preset} /> : <Choose presets={presets} />
  }
  const carrier = value.items.find(({ device }) => device === id)
  const preset = findPreset(carrier?.account.preset)
  if (!carrier || !preset)
    return (
      <Frame title={t('Account of the carrier')} back={{ href: to(`/devices/${id}`), words: t('Device') }}>
        <Empty
          icon="devices"
          title={t('This device is not a carrier account')}
          action={<ButtonLink href={to(`/devices/${id}`)}>{t('To the device')}</ButtonLink>}
        >
          {t('Only devices that were added as a carrier have such an account.')}
        </Empty>
      </Frame>
    )
  return query.has('added') ? (
    <Finish carrier={carrier} preset={preset} onSaved={() => void reload()} />
  ) : (
    <ChangeAccount carrier={carrier} preset={preset} onSaved={() => void reload()} />
  )
}
