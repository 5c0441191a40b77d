import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { NO_AUTOFILL, type SettingsPart } from '../../parts/rows/settings-card.tsx'

export const PROXY: SettingsPart = {
  key: 'settings.proxy',
  title: t('Reverse proxy'),
  action: t('Save proxy'),
  saved: t('Proxy saved'),
  rows: [
    {
      name: 'trustedProxy.headers',
      label: t('Trusted headers'),
      kind: 'list',
      ...NO_AUTOFILL,
      placeholder: t('None#headers'),
      hint: t(
        'Set this only if all traffic goes through the proxy. Otherwise anyone can fake their IP address.',
      ),
    },
    {
      name: 'trustedProxy.useLeftmostIP',
      label: t('If a header has several addresses'),
      kind: 'select',
      choices: [
        ['right', t('The last, from your proxy')],
        ['left', t('The first, set by your proxy')],
      ],
      read: (isLeft) => (isLeft ? 'left' : 'right'),
      write: (side) => side === 'left',
    },
  ],
}

/** Where superusers may connect from. Asks before saving a list that lacks `own`, the user's own address. */
export const makeSuperusersPart = (own: string): SettingsPart => ({
  key: 'settings.superusers',
  title: t('Access of superusers'),
  action: t('Save addresses'),
  saved: t('Addresses saved'),
  rows: [
    {
      name: 'superuserIPs',
      label: t('Addresses of superusers'),
      kind: 'list',
      rows: 2,
      ...NO_AUTOFILL,
      hint: t(
        'One address a line, or a subnet such as 10.0.0.0/8. Empty: from anywhere. Your own address is {own}.',
        {
          own: own || '…',
        },
      ),
    },
  ],
  isSure: async ({ superuserIPs = [] }) =>
    superuserIPs.length === 0 ||
    superuserIPs.includes(own) ||
    askToConfirm({
      title: t('Is your own address among them?'),
      text: t(
        '{own} is not in the list as it stands. If no subnet there has it, you are locked out at once, and only somebody at one of these addresses can change that.',
        { own },
      ),
      action: t('Save anyway'),
      danger: true,
    }),
})
