import { t } from '../../language/words.ts'
import { to } from '../../router.ts'
import { Notice } from './form.tsx'

/** Shown before a send if all devices of the user are simulated. */
export const OnlySimulated = () => (
  <Notice kind="warning">
    {t('Your devices are all simulated: nobody gets these texts.')}{' '}
    <a href={to('/devices')}>{t('Add a real phone.')}</a>
  </Notice>
)
