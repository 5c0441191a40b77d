/** A part of an address without its percent signs; as it is if they are wrong. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
