import type { ComponentChildren } from 'preact'
import type { Fault } from '../data/fault.ts'
import { t, tx } from '../language/words.ts'
import { makePageHref } from '../router.ts'
import { Notice } from './form/form.tsx'

/** Explanations by error code, where the server's message is not enough. */
const WORDS: Readonly<Record<string, ComponentChildren>> = {
  quota_exceeded: (
    <>
      {t('This is more than what is left of your messages this month.')}{' '}
      <a href={makePageHref('/usage')}>{t('Look at your usage')}</a>
    </>
  ),
  no_devices: (
    <>
      {tx(
        'No device can send now: they are off, away, not tested yet or at their limits. {link}, or send it later.',
        {
          link: <a href={makePageHref('/devices')}>{t('Look at your devices')}</a>,
        },
      )}
    </>
  ),
}

export const SendFault = ({ fault }: { fault: Fault }) => (
  <Notice kind="wrong">
    {fault.isAway
      ? t(
          'There was no answer. Press the button again: even if the first try arrived, it is sent once.',
        )
      : (WORDS[fault.code] ?? fault.message)}
  </Notice>
)
