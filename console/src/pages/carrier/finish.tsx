import { carrierWords } from '../../data/carriers/carrier-words.ts'
import type { Carrier, CarrierPreset } from '../../data/carriers/carriers.ts'
import { t } from '../../language/words.ts'
import { CarrierFault } from '../../parts/carrier-fault.tsx'
import { Actions, ButtonLink } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import { TestText } from '../../parts/test-text.tsx'
import { to } from '../../router.ts'
import { CallbackCard } from './callback.tsx'
import { Steps } from './steps.tsx'

/** The third step: the address for the carrier, and a test text. */
export const Finish = ({ carrier, preset }: { carrier: Carrier; preset: CarrierPreset }) => (
  <Frame
    title={t('{name} is added', { name: carrierWords(preset.name).name })}
    text={t('It sends from now on. Give the carrier your address, and send a text to your own number.')}
    back={{ href: to('/devices'), words: t('Devices') }}
  >
    <Steps at={3} />
    <CallbackCard device={carrier.device} account={carrier.account} preset={preset} />
    <TestText device={carrier.device} />
    {carrier.fault && <CarrierFault fault={carrier.fault} />}
    <Actions>
      <ButtonLink kind="primary" href={to(`/devices/${carrier.device}`)}>
        {t('Done')}
      </ButtonLink>
      <ButtonLink href={to(`/devices/${carrier.device}/carrier`)}>{t('Change the account')}</ButtonLink>
    </Actions>
  </Frame>
)
