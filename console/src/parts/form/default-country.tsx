import { defaultCountry } from '../../data/phone/country.ts'
import { useTask } from '../../data/use/use-task.ts'
import { saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { toast } from '../toast.tsx'
import { CountryField } from './country-field.tsx'
import { Notice } from './form.tsx'

/** The default country of the signed-in user's account. Another one is saved as soon as it is chosen. */
export function DefaultCountry() {
  const save = useTask(async (country: string) => {
    await saveOwnSettings({ country })
    toast(t('Default country saved'))
  })
  return (
    <>
      {save.fault && <Notice kind="wrong">{save.fault.message}</Notice>}
      <CountryField
        label={t('Default country')}
        value={defaultCountry.value}
        onValue={(country) => void save.run(country)}
        disabled={save.busy}
        hint={t('Phone numbers that you write without a country belong to this one.')}
      />
    </>
  )
}
