import { carrierWords } from '../../data/carriers/carrier-words.ts'
import { type Carrier, type CarrierPreset, sendCarrier } from '../../data/carriers/carriers.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CarrierFault, UntestedCarrier } from '../../parts/carrier-fault.tsx'
import { Actions, Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { TestText } from '../../parts/test-text.tsx'
import { to } from '../../router.ts'
import { CallbackCard } from './callback.tsx'
import { Steps } from './steps.tsx'

/** The third step: the address for the carrier, and a test text. */
export const Finish = ({
  carrier,
  preset,
  onSaved,
}: {
  carrier: Carrier
  preset: CarrierPreset
  onSaved: () => void
}) => (
  <Frame
    title={t('{name} is added', { name: carrierWords(preset.name).name })}
    text={t('Give the carrier your address, and send a text to your own number.')}
    back={{ href: to('/devices'), words: t('Devices') }}
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
      <ButtonLink kind="primary" href={to(`/devices/${carrier.device}`)}>
        {t('Done')}
      </ButtonLink>
      <ButtonLink href={to(`/devices/${carrier.device}/carrier`)}>{t('Change the account')}</ButtonLink>
    </Actions>
  </Frame>
)

/** For carriers without delivery reports, and for owners who know their account. */
function UseUntested({ carrier: { device, account }, onSaved }: { carrier: Carrier; onSaved: () => void }) {
  const use = useTask(async () => {
    await sendCarrier(device, { account, ready: true })
    onSaved()
  })
  return (
    <Actions>
      <Button task={use}>{t('Use it without a test')}</Button>
      {use.fault && <span role="alert">{use.fault.message}</span>}
    </Actions>
  )
}
