import { isLoopback } from '../data/loopback.ts'
import { t } from '../language/words.ts'
import { CodeBlock } from './code.tsx'
import { Notice } from './form/form.tsx'
import { Qr } from './qr.tsx'
import './shared-link.css'

/** A link to hand to a person, with its QR code. `label` is for screen readers. */
export const SharedLink = ({ link, label }: { link: string; label: string }) => (
  <div class="shared-link">
    <LoopbackNotice link={link} />
    <CodeBlock code={link} />
    <Qr text={link} label={label} />
  </div>
)

/** Warns of a link that other computers and phones cannot open. */
const LoopbackNotice = ({ link }: { link: string }) =>
  isLoopback(link) ? (
    <Notice kind="warning">
      {t('Only this computer can open the link: {host} is its own address.', {
        host: new URL(link).host,
      })}
    </Notice>
  ) : null
