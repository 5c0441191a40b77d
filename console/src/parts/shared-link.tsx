import { CodeBlock } from './code.tsx'
import { Qr } from './qr.tsx'
import './shared-link.css'

/** A link to hand to a person, with its QR code. `label` is for screen readers. */
export const SharedLink = ({ link, label }: { link: string; label: string }) => (
  <div class="shared-link">
    <CodeBlock code={link} />
    <Qr text={link} label={label} />
  </div>
)
