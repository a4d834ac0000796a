<?php
// A reseller of an MSORG-shaped site: format B, plans imported from GET /api/user/, no request-id on most sales. It takes
// the first of `Status` and `status`, knows pending, and asks by the id of the reply how a pending order ended.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

function call(string $method, string $path, ?array $fields = null): ?array
{
    global $address, $key;
    return json_decode(send("$address$path", [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => ["Authorization: Token $key", 'Content-Type: application/json'],
    ] + ($fields === null ? [] : [CURLOPT_POSTFIELDS => json_encode($fields)])), true);
}

function conclude(?array $reply, array $details = []): never
{
    $word = $reply['Status'] ?? $reply['status'] ?? '';
    $common = ['id' => $reply['id'] ?? null, 'reference' => $reply['ident'] ?? null, 'balance' => $reply['balance_after'] ?? null];
    if (in_array($word, ['successful', 'success', true], true)) {
        tell('delivered', $reply['api_response'], [...$common, ...$details]);
    }
    if (in_array($word, ['processing', 'pending', 'initiated'], true)) {
        tell('pending', $reply['api_response'], $common);
    }
    tell('refunded', $reply['error'][0] ?? $reply['detail'] ?? null, $common);
}

switch ($service) {
    case 'airtime':
        conclude(call('POST', '/api/topup/', [
            'network' => $order['network'],
            'amount' => $order['amount'],
            'mobile_number' => $order['phone'],
            'Ported_number' => true,
            'airtime_type' => 'VTU',
        ]));
    case 'data':
        $reply = call('POST', '/api/data/', [
            'network' => $order['network'],
            'mobile_number' => $order['phone'],
            'plan' => $order['plan'],
            'Ported_number' => true,
            'payment_medium' => 'MAIN WALLET',
        ]);
        conclude($reply, ['plan' => $reply['plan_network'] . ' ' . $reply['plan_name']]);
    case 'verify-cable':
        $reply = call('GET', "/api/validateiuc/?smart_card_number={$order['iuc']}&cablename={$order['cable']}");
        ($reply['invalid'] ?? null) === false ? tell('shown', $reply['name']) : tell('refused', $reply['message'] ?? null);
    case 'cable':
        $reply = call('POST', '/api/cablesub/', [
            'cablename' => $order['cable'],
            'cableplan' => $order['plan'],
            'smart_card_number' => $order['iuc'],
        ]);
        conclude($reply, ['plan' => $reply['package']]);
    case 'verify-meter':
        $query = "meternumber={$order['meter']}&disconame=" . rawurlencode($order['disco_name']) . "&mtype={$order['meter_type']}";
        $reply = call('GET', "/api/validatemeter?$query");
        ($reply['invalid'] ?? null) === false ? tell('shown', $reply['name'], ['address' => $reply['address']]) : tell('refused', $reply['message'] ?? null);
    case 'electricity':
        $reply = call('POST', '/api/billpayment/', [
            'disco_name' => $order['disco'],
            'amount' => $order['amount'],
            'meter_number' => $order['meter'],
            'MeterType' => $order['meter_type'] === 'prepaid' ? 1 : 2,
            'Customer_Phone' => $order['phone'],
            'customer_name' => 'Ada Obi',
            'customer_address' => '1 Example Close',
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        $reply = call('POST', '/api/epin/', ['exam_name' => $order['exam'], 'quantity' => $order['quantity']]);
        conclude($reply, ['pins' => explode(',', $reply['data_pin']['pin'] ?? $reply['pins'] ?? '')]);
    case 'recharge-card':
        $reply = call('POST', '/api/rechargepin/', [
            'network' => $order['network'],
            'network_amount' => $order['amount'],
            'quantity' => $order['quantity'],
            'name_on_card' => $order['card_name'],
        ]);
        // As a shop of Laravel does: a text in `data_pin` ends it here, with its customer debited.
        $cards = $reply['data_pin'] ?? [];
        $loadCode = $cards ? $cards[0]['fields']['load_code'] : null;
        conclude($reply, ['load_code' => $loadCode, 'pins' => array_map(fn (array $card) => $card['fields']['pin'], $cards)]);
    case 'sms':
        $reply = call('POST', '/api/sendsms/', [
            'sender' => $order['sender'],
            'recetipient' => $order['numbers'],
            'message' => $order['message'],
            'DND' => false,
        ]);
        conclude($reply, ['total' => $reply['total_number'] ?? null]);
    case 'status':
        conclude(call('GET', "/api/data/{$order['number']}"));
    case 'import':
        $reply = call('GET', '/api/user/');
        $balance = $reply['user']['wallet_balance'] ?? null;
        if ($balance === null) {
            tell('refused', $reply['detail'] ?? null);
        }
        $rows = [];
        foreach (['MTN', 'GLO', 'AIRTEL', '9MOBILE'] as $network) {
            foreach ($reply['Dataplans'][$network . '_PLAN']['ALL'] as $plan) {
                $rows[] = [$plan['dataplan_id'], $plan['plan_network'], $plan['plan'], $plan['plan_amount'], $plan['month_validate']];
            }
        }
        $packages = [];
        foreach ($reply['Cableplan']['cablename'] as $cable) {
            $packages[$cable['name']] = $cable['id'];
        }
        tell('shown', "Balance $balance", ['balance' => $balance, 'plans' => $rows, 'cables' => $packages, 'gotv' => $reply['Cableplan']['GOTVPLAN'][0]['package']]);
}
