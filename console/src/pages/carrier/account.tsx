import { findCarrierWords } from '../../data/carriers/carrier-words.ts'
import type { Carrier, CarrierAccount, CarrierPreset } from '../../data/carriers/carriers.ts'
import { t } from '../../language/words.ts'
import { CarrierFault } from '../../parts/carrier-fault.tsx'
import { Card, Page as Frame } from '../../parts/page.tsx'
import { showToast } from '../../parts/toast.tsx'
import { goToPage, makePageHref } from '../../router.ts'
import { AccountForm } from './account-form.tsx'
import { CallbackCard } from './callback.tsx'
import { BLANK_INTERFACE } from './custom-rows.ts'
import { Steps } from './steps.tsx'

const CHOOSE = '/devices/new/carrier'

const makeBlankAccount = (preset: string): CarrierAccount => ({
  preset,
  ...(preset === 'custom' && { custom: BLANK_INTERFACE }),
})

/** The second step: the account and its senders. */
export const AddAccount = ({ preset }: { preset: CarrierPreset }) => (
  <Frame
    title={findCarrierWords(preset.name).name}
    text={findCarrierWords(preset.name).note}
    back={{ href: makePageHref(CHOOSE), words: t('Choose another carrier') }}
  >
    <Steps at={2} />
    <Card>
      <AccountForm
        preset={preset}
        account={makeBlankAccount(preset.name)}
        device=""
        action={t('Add the carrier')}
        onSaved={(device) => goToPage(`/devices/${device}/carrier`, { added: '1' }, true)}
        onCancel={() => goToPage(CHOOSE)}
      />
    </Card>
  </Frame>
)

/** The account of a carrier that was added before. */
export function ChangeAccount({
  carrier: { device, account, fault },
  preset,
  onSaved,
}: {
  carrier: Carrier
  preset: CarrierPreset
  onSaved: () => void
}) {
  const saved = () => {
    showToast(t('Account saved'))
    onSaved()
  }
  return (
    <Frame
      title={t('Account of the carrier')}
      text={findCarrierWords(preset.name).name}
      back={{ href: makePageHref(`/devices/${device}`), words: t('Device') }}
    >
      {fault && <CarrierFault fault={fault} />}
      <Card title={t('Account and senders')}>
        <AccountForm
          preset={preset}
          account={account}
          device={device}
          action={t('Save')}
          onSaved={saved}
          onCancel={() => goToPage(`/devices/${device}`)}
        />
      </Card>
      <CallbackCard device={device} account={account} preset={preset} />
    </Frame>
  )
}
