"""Prices of every pair, again and again, with the standard library alone: python3 client.py [URL] [rounds]"""
import json
import sys
import time
import urllib.error
import urllib.request
from decimal import Decimal

base = sys.argv[1] if len(sys.argv) > 1 else 'http://localhost:3000'
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
etag, tickers = None, []

for turn in range(rounds):
    time.sleep(10 if turn > 0 else 0)  # the lifetime of an answer
    request = urllib.request.Request(base + '/api/tickers', headers={'If-None-Match': etag} if etag else {})
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            etag, tickers = response.headers['ETag'], json.load(response)
    except urllib.error.HTTPError as error:
        if error.code == 304:
            print('not modified')
            continue
        wait = error.headers.get('Retry-After')
        sys.exit(f"{error.code}: {json.load(error)['error']}" + (f' (again in {wait} s)' if wait else ''))
    except (OSError, ValueError) as error:
        sys.exit(f"{base}: {getattr(error, 'reason', error)}. Does the service run? `npm run demo` starts one.")
    for ticker in tickers:
        # amounts are decimal text: Decimal keeps every digit, float would not
        spread = Decimal(ticker['ask']) - Decimal(ticker['bid'])
        print(ticker['ticker_id'], ticker['last_price'], 'spread', spread, 'liquidity', ticker['liquidity_in_usd'])
