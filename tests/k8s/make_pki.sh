#!/bin/bash
# Makes the certificates of the TLS tests anew (valid for 100 years; keys of no worth). They are in pki/.
set -eu
cd "$(dirname "$0")/pki"
export LC_ALL=C
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
sign() { # name ca days-arguments extensions
    openssl req -new -key "$1.key" -subj "/CN=${5:-$1}" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial $3 -out "$1.pem" \
        -extfile <(printf '%b' "$4") 2>/dev/null
    rm "$1.csr"
}
for ca in ca other-ca; do
    key $ca
    openssl req -x509 -new -key $ca.key -subj "/CN=$ca" -days 36500 -out $ca.pem \
        -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign"
done
server='extendedKeyUsage=serverAuth\n'
sign_for_later() { # name ca extensions: valid from the year 2090 on, which x509 cannot say
    openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    : >later.txt
    printf '%b' "[ca]\ndefault_ca=c\n[c]\ndatabase=later.txt\nrand_serial=yes\nnew_certs_dir=.\npolicy=p\n[p]\ncommonName=supplied\n" >later.conf
    openssl ca -batch -notext -config later.conf -md sha256 -cert "$2.pem" -keyfile "$2.key" -in "$1.csr" -out "$1.pem" \
        -startdate 20900101000000Z -enddate 21200101000000Z -extfile <(printf '%b' "$3") 2>/dev/null
    rm -f "$1.csr" later.* [0-9A-F]*.pem
}
for name in by-address by-name cn-only address-as-name expired wrong-use foreign client not-yet; do key $name; done
sign by-address ca "-days 36500" "${server}subjectAltName=IP:127.0.0.1"
sign by-name ca "-days 36500" "${server}subjectAltName=DNS:api.test"
sign cn-only ca "-days 36500" "${server}" 127.0.0.1
sign address-as-name ca "-days 36500" "${server}subjectAltName=DNS:127.0.0.1"
sign expired ca "-days -1" "${server}subjectAltName=IP:127.0.0.1"
sign wrong-use ca "-days 36500" 'extendedKeyUsage=clientAuth\nsubjectAltName=IP:127.0.0.1'
sign foreign other-ca "-days 36500" "${server}subjectAltName=IP:127.0.0.1"
sign client ca "-days 36500" 'extendedKeyUsage=clientAuth\n' a-user
sign_for_later not-yet ca "${server}subjectAltName=IP:127.0.0.1"
rm -f *.srl ca.key other-ca.key
