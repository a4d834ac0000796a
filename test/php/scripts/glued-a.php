<?php
// JSON glued by hand, header without a space, the request-id a bare number. The service `broken` is the published example
// that lacks a comma, `line-break` a form value with its line break left on. Only `status` is read.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

$comma = $service === 'broken' ? '' : ',';
$network = $service === 'line-break' ? $order['network'] . "\n" : $order['network'];
$reply = json_decode(send("$address/api/topup", [
    CURLOPT_POST => true,
    CURLOPT_POSTFIELDS => '{"network":"' . $network . '","amount":' . $order['amount'] . ',
        "phone":"' . $order['phone'] . '",
        "bypass":true' . $comma . '
        "plan_type":"VTU","request-id":' . $order['number'] . '}',
    CURLOPT_HTTPHEADER => ["Authorization:Token $key", 'Content-Type:application/json'],
]), true);
$details = ['reference' => $reply['transid'] ?? null, 'balance' => $reply['newbal'] ?? null, 'request_id' => $reply['request-id'] ?? null];
match ($reply['status'] ?? null) {
    'success' => tell('delivered', $reply['message'], $details),
    'pending' => tell('pending', $reply['message'], $details),
    default => tell('refunded', $reply['message'] ?? null, $details),
};
