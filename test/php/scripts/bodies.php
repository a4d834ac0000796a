<?php
// Sends one request as reseller scripts do, with PHP's own cURL or streams: php bodies.php <case> <base url>.
// ../bodies.http is what these cases put on the wire.
[, $case, $base] = $argv;

function post(string $url, mixed $fields, array $headers = [], string $method = 'POST'): void
{
    $curl = curl_init();
    $options = [
        CURLOPT_URL => $url,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ['Authorization: Token sandbox_demo:1234', ...$headers],
        CURLOPT_TIMEOUT => 10,
    ];
    if ($fields !== null) {
        $options[CURLOPT_POSTFIELDS] = $fields;
    }
    curl_setopt_array($curl, $options);
    curl_exec($curl);
    echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', curl_error($curl);
}

$airtime = ['network' => '1', 'mobile_number' => '08030000001', 'amount' => '100', 'Ported_number' => true, 'airtime_type' => 'Share and Sell'];
$json = ['Content-Type: application/json'];
$topup = "$base/api/topup/";

match ($case) {
    'urlencoded' => post($topup, http_build_query($airtime)),
    'multipart' => post($topup, $airtime),
    'multipart-under-json-header' => post($topup, $airtime, $json),
    'multipart-of-an-empty-array' => post($topup, []),
    'multipart-with-a-file' => post($topup, ['network' => '1', 'phone' => new CURLStringFile('08030000001', 'phone.txt')]),
    'json' => post($topup, json_encode($airtime), $json),
    'json-without-header' => post($topup, json_encode($airtime)),
    'json-with-byte-order-mark' => post($topup, "\u{FEFF}" . json_encode($airtime), $json),
    'json-empty-list' => post($topup, json_encode([]), $json),
    'json-null' => post($topup, json_encode(null), $json),
    'json-large-numbers' => post($topup, '{"smart_card_number": 12345678901234567890, "amount": 1000.50}', $json),
    'json-repeated-name' => post($topup, '{"network": 1, "amount": 100, "network": 1}', $json),
    'json-missing-comma' => post($topup, "{\"network\": 1,\n\"amount\": 100,\n\"mobile_number\": \"08030000001\",\n\"Ported_number\":true\n\"airtime_type\":\"VTU\"\n}", $json),
    'json-line-break-in-text' => post($topup, "{\"network\": \"1\", \"service\": \"3\n\"}", $json),
    'json-empty-number' => post($topup, '{"network": , "amount": 100}', $json),
    'urlencoded-under-json-header' => post($topup, http_build_query($airtime), $json),
    'urlencoded-bracket-names' => post($topup, http_build_query(['numbers' => ['08030000001', '08050000002'], 'user' => ['name' => 'Ada', 'city' => 'Kano']])),
    'urlencoded-repeated-name' => post($topup, 'network=1&amount=100&network=1'),
    'not-utf8' => post($topup, "network=1&customer_name=Jos\xE9"),
    'no-body' => post($topup, null),
    'query-only' => post("$base/api/validateiuc?smart_card_number=0123456789&&cablename=GOTV", null, [], 'GET'),
    'query-with-a-blank-name' => post("$base/api/validateiuc?smart_card_number=0123456789&%20&cablename=GOTV", null, [], 'GET'),
    // cURL refuses a bare space since 7.78; streams and older cURL write it as it stands.
    'query-with-a-bare-space' => (function () use ($base) {
        @file_get_contents("$base/api/validateiuc?smart_card_number=0123456789& &cablename=GOTV");
        echo explode(' ', $http_response_header[0] ?? '- 0 -')[1], ' ';
    })(),
    'get-with-json-body' => post("$base/api/validatemeter?meternumber=45000000001&disconame=abuja-electric&mtype=prepaid", '{"meter_number":"45000000001","amount":"1000"}', $json, 'GET'),
    'chunked-empty' => (function () use ($base) {
        // CURLOPT_POST without fields: chunked, Expect: 100-continue, nothing in it. The base address ends in a slash of its own.
        $curl = curl_init("$base//api/user/");
        curl_setopt_array($curl, [
            CURLOPT_POST => 1,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_HTTPHEADER => ['Authorization: Basic ' . base64_encode('sandbox_demo:1234')],
            CURLOPT_TIMEOUT => 10,
        ]);
        curl_exec($curl);
        echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', curl_error($curl);
    })(),
    'streams-verify' => (function () use ($base) {
        @file_get_contents("$base/api/cable/cable-validation?iuc=0123456789&cable=2");
        echo explode(' ', $http_response_header[0] ?? '- 0 -')[1], ' ';
    })(),
};
