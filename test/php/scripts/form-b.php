<?php
// Scripts that never learnt JSON, or forgot to say that it is: the service names the way the fields travel. What is not
// `successful` is refunded.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

function withCurl(string|array $fields): string
{
    global $address, $key;
    $headers = ["Authorization: Token  $key"];
    return send("$address/api/topup/", [CURLOPT_POST => true, CURLOPT_POSTFIELDS => $fields, CURLOPT_HTTPHEADER => $headers]);
}

/** Streams give false, and no body, for every 4xx. */
function withStreams(string $fields): string|bool
{
    global $address, $key;
    return @file_get_contents("$address/api/topup/", false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => "Authorization: Token $key\r\nContent-Type: application/x-www-form-urlencoded\r\n",
        'content' => $fields,
    ]]));
}

$fields = [
    'network' => $order['network'],
    'amount' => $order['amount'],
    'mobile_number' => $order['phone'],
    'Ported_number' => false,
    'airtime_type' => 'VTU',
];
$raw = match ($service) {
    'urlencoded' => withCurl(http_build_query($fields)),
    'multipart' => withCurl($fields),
    'json-without-header' => withCurl(json_encode($fields)),
    'streams' => withStreams(http_build_query($fields)),
};
$reply = json_decode((string) $raw, true);
$details = ['reference' => $reply['ident'] ?? null, 'balance' => $reply['newbal'] ?? null];
($reply['Status'] ?? '') === 'successful' ? tell('delivered', $reply['msg'], $details) : tell('refunded', $reply['msg'] ?? null, $details);
