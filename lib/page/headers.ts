/** Headers of the pages for people, which read the public API under a policy that lets them do nothing else. */

/** A policy that forbids everything but scripts and data of this host, and what is added. */
export const policyOf = (...added: string[]) => [
  "default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
  "frame-ancestors 'none'", ...added
].join('; ')

export const PAGE_HEADERS = {
  // text from token metadata can never become markup, even by a mistake of ours
  'content-security-policy': policyOf(
    "style-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"
  ),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin'
}
