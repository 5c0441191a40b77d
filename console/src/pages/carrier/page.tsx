import { useState } from 'preact/hooks'
import { findCarrierWords } from '../../data/carriers/carrier-words.ts'
import {
  type Carrier,
  type CarrierPreset,
  CUSTOM,
  saveCarrierAccount,
  useCarriers,
} from '../../data/carriers/carriers.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CarrierFault, UntestedCarrier } from '../../parts/carrier-fault.tsx'
import { Actions, Button, ButtonLink, FormActions, Notice } from '../../parts/form/form.tsx'
import { Empty } from '../../parts/list/empty.tsx'
import { Page as Frame, Loading } from '../../parts/page.tsx'
import { TestText } from '../../parts/test-text.tsx'
import { goToPage, makePageHref, type PageProps } from '../../router.ts'
import { AddAccount, ChangeAccount } from './account.tsx'
import { CallbackCard } from './callback.tsx'
import { Steps } from './steps.tsx'
import './page.css'

/** Stands in the address for the id of a carrier that is not added yet. */
const NEW = 'new'
/** How often the state of the carrier is read, in ms: its test text may show a refusal. */
const EVERY_MS = 5_000

/** Adds a carrier in three steps, or changes the account of a device. */
export function Page({ params: { id = '' }, query }: PageProps) {
  const { value, fault, reload } = useCarriers(id === NEW ? undefined : EVERY_MS)
  const back = { href: makePageHref('/devices'), words: t('Devices') }
  if (!value)
    return (
      <Frame title={t('Add a carrier')} back={back}>
        {fault ? <Notice kind="wrong">{fault.message}</Notice> : <Loading />}
      </Frame>
    )
  const presets = [...value.presets, CUSTOM]
  const findPreset = (name: string | undefined | null) =>
    presets.find((preset) => preset.name === name)
  if (id === NEW) {
    const preset = findPreset(query.get('preset'))
    return preset ? <AddAccount preset={preset} /> : <Choose presets={presets} />
  }
  const carrier = value.items.find(({ device }) => device === id)
  const preset = findPreset(carrier?.account.preset)
  if (!carrier || !preset)
    return (
      <Frame
        title={t('Account of the carrier')}
        back={{ href: makePageHref(`/devices/${id}`), words: t('Device') }}
      >
        <Empty
          icon="devices"
          title={t('This device is not a carrier account')}
          action={
            <ButtonLink href={makePageHref(`/devices/${id}`)}>{t('To the device')}</ButtonLink>
          }
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

/** The first step: which carrier. */
function Choose({ presets }: { presets: readonly CarrierPreset[] }) {
  const [chosen, setChosen] = useState(presets[0]?.name ?? '')
  return (
    <Frame
      title={t('Add a carrier')}
      text={t(
        'An account of a carrier sends texts over the internet, without a phone. It is a device like your phones: all of them take turns.',
      )}
      back={{ href: makePageHref('/devices'), words: t('Devices') }}
    >
      <Steps at={1} />
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          goToPage('/devices/new/carrier', { preset: chosen })
        }}
      >
        <fieldset class="carrier-choices">
          <legend class="unseen">{t('Carrier')}</legend>
          {presets.map((preset) => (
            <Choice
              key={preset.name}
              preset={preset}
              isChosen={preset.name === chosen}
              onChoose={() => setChosen(preset.name)}
            />
          ))}
        </fieldset>
        <p class="note">
          {t(
            'A carrier that uses SMPP is another kind of device: add a modem on a computer, and choose the account of a carrier there.',
          )}
        </p>
        <FormActions onCancel={() => goToPage('/devices')}>{t('Continue')}</FormActions>
      </form>
    </Frame>
  )
}

function Choice({
  preset: { name, receipts, incoming },
  isChosen,
  onChoose,
}: {
  preset: CarrierPreset
  isChosen: boolean
  onChoose: () => void
}) {
  const { name: title, note } = findCarrierWords(name)
  const lacks = [
    !receipts && t('No delivery reports.'),
    !incoming && t('No incoming texts.'),
  ].filter(Boolean)
  return (
    <label class="carrier-choice">
      <input type="radio" name="preset" value={name} checked={isChosen} onChange={onChoose} />
      <span>
        <strong>{title}</strong>
        <span class="note">{[note, ...lacks].filter(Boolean).join(' ')}</span>
      </span>
    </label>
  )
}

/** The third step: the address for the carrier, and a test text. */
const Finish = ({
  carrier,
  preset,
  onSaved,
}: {
  carrier: Carrier
  preset: CarrierPreset
  onSaved: () => void
}) => (
  <Frame
    title={t('{name} is added', { name: findCarrierWords(preset.name).name })}
    text={t('Give the carrier your address, and send a text to your own number.')}
    back={{ href: makePageHref('/devices'), words: t('Devices') }}
  >
    <Steps at={3} />
    <CallbackCard device={carrier.device} account={carrier.account} preset={preset} />
    <TestText device={carrier.device} />
    {carrier.fault && <CarrierFault fault={carrier.fault} />}
    {carrier.ready ? (
      <Notice>{t('The carrier sends your texts.')}</Notice>
    ) : (
      <UntestedCarrier>
        <UseUntested carrier={carrier} onSaved={onSaved} />
      </UntestedCarrier>
    )}
    <Actions>
      <ButtonLink kind="primary" href={makePageHref(`/devices/${carrier.device}`)}>
        {t('Done')}
      </ButtonLink>
      <ButtonLink href={makePageHref(`/devices/${carrier.device}/carrier`)}>
        {t('Change the account')}
      </ButtonLink>
    </Actions>
  </Frame>
)

/** For carriers without delivery reports, and for owners who know their account. */
function UseUntested({
  carrier: { device, account },
  onSaved,
}: {
  carrier: Carrier
  onSaved: () => void
}) {
  const use = useTask(async () => {
    await saveCarrierAccount(device, { account, ready: true })
    onSaved()
  })
  return (
    <Actions>
      <Button task={use}>{t('Use it without a test')}</Button>
      {use.fault && <span role="alert">{use.fault.message}</span>}
    </Actions>
  )
}
