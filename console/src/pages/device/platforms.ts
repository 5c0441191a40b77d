import { t } from '../../language/words.ts'

/** Kinds of devices, by their `platform`. */
export const PLATFORMS = {
  android: t('Android phone'),
  modem: t('Modem'),
  simulator: t('Simulated phone'),
  carrier: t('Carrier'),
  other: t('Other'),
  '': '–',
}
