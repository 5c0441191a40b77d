import { Copy } from './copy.tsx'

/** Code or a command to copy, as it stands, or as `original` where it is shown over several lines. */
export const CodeBlock = ({ code, original = code }: { code: string; original?: string }) => (
  <div class="code-block">
    <pre>
      <code>{code}</code>
    </pre>
    <Copy text={original} />
  </div>
)
