// The certificate of an HTTPS server, checked before anything relies on it.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

/** A certificate chain and its private key, as PEM. */
export interface Certificate {
  /** Certificates as PEM, that of the server first. */
  readonly cert: string
  /** Private key as PEM, without a passphrase. */
  readonly key: string
}

/** Throws TypeError, which says which half is wrong and repeats nothing of it. */
export function checkCertificate({ cert, key }: Certificate): void {
  let certificate: X509Certificate
  let privateKey: KeyObject
  try {
    certificate = new X509Certificate(cert)
  } catch (cause) {
    throw new TypeError('tls.cert: expected a certificate as PEM', { cause })
  }
  try {
    privateKey = createPrivateKey(key)
  } catch (cause) {
    throw new TypeError('tls.key: expected a private key without a passphrase as PEM', { cause })
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TypeError('tls.key: expected the private key of the certificate, got another one')
  }
  // The class above reads the first certificate only. A server reads the whole chain, and OpenSSL has rules of its own.
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new TypeError('tls.cert: expected a complete chain of certificates as PEM', { cause })
  }
}
